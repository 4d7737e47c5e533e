package report

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"
)

// Version counts the changes of what [Write] makes of one and the same analysis: the page's
// arrangement, its sentences, how figures are drawn. The page carries it, so that a page of
// another version of the program can be told from one that was tampered with.
//
//	2: the first page holds the answer, tables are left out in print, bitmaps have few colours
const Version = 2

const generator = "latro report "

var generatorPattern = regexp.MustCompile(`<meta name="generator" content="` + generator + `([0-9]{1,6})"/>`)

// generatorTag is the line of a page's head that VersionOf reads.
func generatorTag() string {
	return fmt.Sprintf(`<meta name="generator" content="%s%d"/>`, generator, Version)
}

// VersionOf reads the [Version] that a page was written with: 1 where it says none, as pages
// did before they had one.
func VersionOf(page []byte) int {
	head, _, ok := bytes.Cut(page, []byte("</head>"))
	if !ok {
		return 1
	}
	m := generatorPattern.FindSubmatch(head)
	if m == nil {
		return 1
	}
	n, err := strconv.Atoi(string(m[1]))
	if err != nil {
		return 1
	}
	return n
}

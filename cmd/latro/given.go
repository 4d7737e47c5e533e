package main

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/alecthomas/kong"
)

// stdoutTag marks an --out flag for which - is standard output, as it is where the flag is left out.
const stdoutTag = "stdout"

// checkGiven looks at what was given on the command line, for all commands alike: an empty text, which is most often a
// script's variable that was never set and must not quietly become the default; a rule's override that is none; and -
// as the name of a file where the command does not write to standard output.
func checkGiven(k *kong.Context) error {
	for _, p := range k.Path {
		switch {
		case p.Flag != nil && !p.Resolved:
			if err := checkFlag(p.Flag, reflect.ValueOf(k.FlagValue(p.Flag))); err != nil {
				return err
			}
		case p.Positional != nil && p.Positional.Target.Kind() == reflect.String && p.Positional.Target.String() == "":
			return fmt.Errorf("%w: %s is empty; %s", errInput, p.Positional.Summary(), whatToGive(p.Positional.Required))
		}
	}
	return nil
}

func checkFlag(f *kong.Flag, v reflect.Value) error {
	name := "--" + f.Name
	var texts []string
	switch v.Kind() {
	case reflect.String:
		texts = []string{v.String()}
	case reflect.Slice:
		list, ok := v.Interface().([]string)
		if !ok {
			return nil
		}
		texts = list
	}
	for _, text := range texts {
		switch param, _, assigned := strings.Cut(text, "="); {
		case f.Name == "set" && (!assigned || strings.TrimSpace(param) == ""):
			return fmt.Errorf("%w: %s %q is not a change of a rule: write PARAM=VALUE, as --set end.no_capture_limit=60", errInput, name, text)
		case text == "":
			return fmt.Errorf("%w: %s is empty; %s", errInput, name, whatToGive(f.Required))
		case text == "-" && f.Name == "out" && !f.Tag.Has(stdoutTag):
			return fmt.Errorf("%w: %s - would be standard output, and what this command writes is not for it; name a %s (./- for one that is called so)", errInput, name, fileOrDirectory(f))
		}
	}
	return nil
}

var (
	notWhole    = regexp.MustCompile(`expected a valid \d+ bit (u?)int but got`)
	dashedValue = regexp.MustCompile(`expected (u?)int value but got ("-[0-9][^"]*") \(.*$`)
)

// parserWords is a mistake of the command line without the names that programmers give to numbers.
func parserWords(err error) string {
	kind := func(text string, re *regexp.Regexp, rest string) string {
		return re.ReplaceAllStringFunc(text, func(m string) string {
			parts := re.FindStringSubmatch(m)
			what := "a whole number is needed, in digits"
			if parts[1] == "u" {
				what = "a whole number is needed, in digits, 0 or more"
			}
			if rest != "" {
				return what + rest + parts[2]
			}
			return what + "; this is"
		})
	}
	return kind(kind(err.Error(), notWhole, ""), dashedValue, "; this is ")
}

func whatToGive(required bool) string {
	if required {
		return "give it a value"
	}
	return "give it a value, or leave it out"
}

// fileOrDirectory is what an --out flag names.
func fileOrDirectory(f *kong.Flag) string {
	if f.PlaceHolder == "DIR" {
		return "directory"
	}
	return "file"
}

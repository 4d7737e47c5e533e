package report

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// browser runs a headless Chromium; the test is skipped where there is none.
func browser(t *testing.T, dir string, args ...string) string {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil {
			path = p
			break
		}
	}
	if path == "" {
		t.Skip("no Chromium here")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	all := append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--user-data-dir=" + filepath.Join(dir, "profile")}, args...)
	out, err := exec.CommandContext(ctx, path, all...).Output()
	if err != nil {
		t.Skipf("Chromium does not run here: %v", err)
	}
	return string(out)
}

// measure is the script that looks at the page in a frame as wide as a phone. The
// page itself holds no script.
const measure = `<body style="margin:0"><iframe id="f" style="border:0;width:%dpx;height:800px" srcdoc="%s"></iframe><pre id="out"></pre><script>
const f = document.getElementById('f');
f.onload = () => {
  const d = f.contentDocument, w = f.clientWidth;
  const out = {closed: d.documentElement.scrollWidth};
  for (const x of d.querySelectorAll('details')) x.open = true;
  out.open = d.documentElement.scrollWidth;
  const seen = (q) => [...d.querySelectorAll(q)].filter(e => e.getClientRects().length > 0);
  out.wide = seen('svg.wide').length;
  out.narrow = seen('svg.narrow').length;
  out.smallest = Math.min(...seen('svg text').map(e => parseFloat(f.contentWindow.getComputedStyle(e).fontSize) * e.ownerSVGElement.getBoundingClientRect().width / e.ownerSVGElement.viewBox.baseVal.width));
  out.beyond = [];
  for (const e of d.body.querySelectorAll('*')) {
    const r = e.getBoundingClientRect();
    if (r.width > 0 && r.right > w + 1 && !e.closest('svg') && !e.closest('pre') && !e.closest('thead')) out.beyond.push(e.tagName + '.' + e.className + ' ' + e.textContent.slice(0, 60));
  }
  out.inner = seen('.scroll').filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.textContent.slice(0, 60));
  document.getElementById('out').textContent = JSON.stringify(out);
};
</script>`

type measured struct {
	Closed, Open, Wide, Narrow int
	Smallest                   float64
	Beyond, Inner              []string
}

func look(t *testing.T, dir, page string, width int) measured {
	t.Helper()
	file := filepath.Join(dir, fmt.Sprintf("at-%d.html", width))
	if err := os.WriteFile(file, fmt.Appendf(nil, measure, width, html.EscapeString(page)), 0o644); err != nil {
		t.Fatal(err)
	}
	dom := browser(t, dir, "--window-size=1400,1000", "--virtual-time-budget=20000", "--dump-dom", "file://"+file)
	m := regexp.MustCompile(`(?s)<pre id="out">(.*?)</pre>`).FindStringSubmatch(dom)
	if m == nil || m[1] == "" {
		t.Skip("Chromium did not run the measurement")
	}
	var out measured
	if err := json.Unmarshal([]byte(html.UnescapeString(m[1])), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

var pdfPage = regexp.MustCompile(`/Type\s*/Page[^s]`)

// TestInABrowser: at 360 pixels nothing makes the page scroll sideways, figures
// show their drawing for phones in letters of nine pixels at least, and on a wide
// page the other one; in print tables are left out, and all there if the reader wants them;
// nine cells print on twelve pages, the answer on the first.
func TestInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("needs a browser")
	}
	a := crossed(t)
	r := Standard(a, []Entry{{"a long hash", strings.Repeat("0123456789abcdef", 4)}})
	page := r.HTML()
	figures := len(r.figures())
	dir := t.TempDir()
	phone := look(t, dir, page, 360)
	if phone.Closed > 360 || phone.Open > 360 {
		t.Errorf("at 360 pixels the page is %d wide, with everything unfolded %d; beyond the edge: %q", phone.Closed, phone.Open, phone.Beyond)
	}
	if phone.Narrow != figures || phone.Wide != 0 {
		t.Errorf("at 360 pixels %d narrow and %d wide drawings of %d figures show", phone.Narrow, phone.Wide, figures)
	}
	if phone.Smallest < 9 {
		t.Errorf("at 360 pixels the smallest letters of figures are %.1f pixels high", phone.Smallest)
	}
	if len(phone.Inner) > 0 {
		t.Errorf("at 360 pixels these tables scroll by themselves: %q", phone.Inner)
	}
	desk := look(t, dir, page, 1200)
	if desk.Narrow != 0 || desk.Wide != figures || desk.Open > 1200 {
		t.Errorf("at 1200 pixels: %+v", desk)
	}
	pages := func(name, page string) int {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file+".html", []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
		browser(t, dir, "--no-pdf-header-footer", "--print-to-pdf="+file+".pdf", "file://"+file+".html")
		b, err := os.ReadFile(file + ".pdf")
		if err != nil {
			t.Skipf("Chromium did not print: %v", err)
		}
		return len(pdfPage.FindAll(b, -1))
	}
	tick := func(page string) string {
		const box = `<input type="checkbox" id="everything"`
		if !strings.Contains(page, box) {
			t.Fatal("the page has no box to print everything")
		}
		return strings.Replace(page, box, box+" checked=\"checked\"", 1)
	}
	brief, whole := pages("brief", page), pages("whole", tick(page))
	if whole < brief+5 {
		t.Errorf("printed the report has %d pages, with all tables %d: they are not printed", brief, whole)
	}
	// Nine combinations of rulesets and agents make a report of twelve pages at most.
	nine := ordered(t, 3, 3)
	if n := len(nine.Cells); n != 9 {
		t.Fatalf("%d cells", n)
	}
	page = Standard(nine, nil).HTML()
	if n := pages("nine", page); n > 12 {
		t.Errorf("nine cells print on %d pages", n)
	}
	// The first page stands by itself: what follows the answer begins on the second.
	end := strings.Index(page, `<section id="findings"`)
	if n := pages("first", page[:end]+"</main></body></html>"); n != 1 {
		t.Errorf("the answer takes %d printed pages", n)
	}
}

// TestRulesOfPrint holds where there is no browser.
func TestRulesOfPrint(t *testing.T) {
	for _, want := range []string{
		// What is closed is neither on the screen nor in print; ticking the box shows it in both.
		"\ndetails:not([open])+.folded{display:none}\n", "#everything:checked~main details+.folded{display:block}",
		"#everything:checked~main .onscreen{display:block}", "#everything:checked~main p.leftout{display:none}", "details:not([open])+.folded.always{display:block}",
		"section.page{break-before:page}", "h2,h3,h4,caption{break-after:avoid}", ".drawing,figcaption,tr,ul.findings li,.answer,.note,dt{break-inside:avoid}",
		"thead{display:table-header-group}", "@page{size:A4",
	} {
		if !strings.Contains(style, want) {
			t.Errorf("the style lacks %q", want)
		}
	}
	if n := strings.Count(style, ".folded{display:none}"); n != 1 {
		t.Errorf("%d rules hide what is folded", n)
	}
	if strings.Contains(Report{}.HTML(), "<script") {
		t.Error("the page has a script")
	}
}

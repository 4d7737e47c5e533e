package rules

// Difference is one parameter in which two rulesets differ.
type Difference struct {
	Name    string // dotted name
	A, B    string // the values in the text form of Params.Get
	Meaning string // what the parameter says, one sentence
}

// Diff returns every parameter in which the rules of a and b, as played, differ, in the order of the file
// format. It is empty exactly when a.Hash() == b.Hash().
func Diff(a, b *Ruleset) []Difference {
	var out []Difference
	for i := range fields {
		f := &fields[i]
		if x, y := f.get(&a.Params), f.get(&b.Params); x != y {
			out = append(out, Difference{Name: f.Name, A: x, B: y, Meaning: f.Meaning})
		}
	}
	return out
}

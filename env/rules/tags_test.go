package rules

import (
	"reflect"
	"testing"
)

// yamlNames walks the yaml tags of Params.
func yamlNames(t *testing.T) []string {
	var out []string
	var walk func(reflect.Type, string)
	walk = func(typ reflect.Type, prefix string) {
		for i := range typ.NumField() {
			f := typ.Field(i)
			name := prefix + f.Tag.Get("yaml")
			if f.Type.Kind() == reflect.Struct {
				walk(f.Type, name+".")
				continue
			}
			out = append(out, name)
		}
	}
	walk(reflect.TypeFor[Params](), "")
	return out
}

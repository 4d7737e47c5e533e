package figure

import (
	"bytes"
	"image"
	"image/color"
	"testing"
)

// TestFewColoursKeepsWhatThereIsMuchOf: areas keep their colour to the bit, and shades
// beyond the 256 move by little.
func TestFewColoursKeepsWhatThereIsMuchOf(t *testing.T) {
	const side = 200
	img := image.NewRGBA(image.Rect(0, 0, side, side))
	for y := range side {
		for x := range side {
			switch {
			case y < 50:
				img.SetRGBA(x, y, white)
			case y < 100:
				img.SetRGBA(x, y, palette(x/100))
			default: // 20,000 dots of shades, of which there are 3,200
				img.SetRGBA(x, y, color.RGBA{uint8(x), uint8(x + y%16), uint8(x), 0xff})
			}
		}
	}
	got := fewColours(img)
	if n := len(got.Palette); n <= exact || n > 256 {
		t.Fatalf("%d colours", n)
	}
	for y := range side {
		for x := range side {
			a, b := img.RGBAAt(x, y), color.RGBAModel.Convert(got.At(x, y)).(color.RGBA)
			far := 0
			for _, d := range []int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B)} {
				far = max(far, d, -d)
			}
			// Half a step of 17 in each channel, and one more where the steps do not suffice.
			if y < 100 && far != 0 || far > 16 {
				t.Fatalf("at %d, %d %v became %v", x, y, a, b)
			}
		}
	}
	if again := fewColours(img); !bytes.Equal(got.Pix, again.Pix) {
		t.Error("the same image is numbered in two ways")
	}
}

// TestBitmapsComeOutTheSame: the file of a figure does not change from one drawing to the
// next.
func TestBitmapsComeOutTheSame(t *testing.T) {
	for _, f := range samples()[:3] {
		a, err := f.PNG()
		if err != nil {
			t.Fatal(err)
		}
		b, err := f.PNG()
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs between two drawings", f.ID)
		}
	}
}

package figure

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// dotsPerInch is the resolution of the bitmaps.
const dotsPerInch = 200

// PNG is the figure as a bitmap of 200 dots an inch. A figure has few colours, so the
// bitmap names them by number: a third of the size of one in full colour, written in
// less than half of the time. The same figure gives the same bytes.
func (f Figure) PNG() ([]byte, error) {
	return f.bitmap(wide)
}

func (f Figure) bitmap(sh sheet) ([]byte, error) {
	h, draw := f.layout(sh)
	c := vgimg.NewWith(vgimg.UseWH(vg.Points(sh.width), vg.Points(h)), vgimg.UseDPI(dotsPerInch), vgimg.UseBackgroundColor(white))
	draw(newPen(c, h))
	var img image.Image = c.Image()
	if full, ok := img.(*image.RGBA); ok {
		img = fewColours(full)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return nil, fmt.Errorf("draw figure %s: %w", f.ID, err)
	}
	return b.Bytes(), nil
}

// exact is the number of colours that a bitmap keeps to the bit.
const exact = 128

// fewColours gives an image 256 colours at most. Those that it has most of, the areas, stay
// as they are. If there are more, the rest, which are shades at the edges of letters and
// lines and of large heat maps, is rounded to sixteen steps a channel; what is still too
// many becomes the nearest of what there is.
func fewColours(img *image.RGBA) *image.Paletted {
	size := img.Bounds().Size()
	pixel := func(row []uint8, x int) uint32 {
		q := row[4*x : 4*x+4 : 4*x+4]
		return uint32(q[0])<<16 | uint32(q[1])<<8 | uint32(q[2])
	}
	// Neighbours are mostly of one colour: runs are counted, not dots.
	count := map[uint32]int{}
	for y := range size.Y {
		row := img.Pix[y*img.Stride:][:4*size.X]
		last, run := pixel(row, 0), 0
		for x := range size.X {
			v := pixel(row, x)
			if v != last {
				count[last] += run
				last, run = v, 0
			}
			run++
		}
		count[last] += run
	}
	kept := byCount(count)
	number := make(map[uint32]uint8, len(kept))
	if len(kept) > 256 {
		rest := kept[exact:]
		kept = kept[:exact:exact]
		rounded := map[uint32]int{}
		for _, v := range rest {
			rounded[round16(v)] += count[v]
		}
		for _, v := range kept {
			delete(rounded, v)
		}
		more := byCount(rounded)
		kept = append(kept, more[:min(256-exact, len(more))]...)
		for _, v := range rest {
			number[v] = nearest(kept, v)
		}
	}
	palette := make(color.Palette, len(kept))
	for i, v := range kept {
		palette[i] = color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 0xff}
		number[v] = uint8(i)
	}
	out := image.NewPaletted(image.Rect(0, 0, size.X, size.Y), palette)
	for y := range size.Y {
		row, to := img.Pix[y*img.Stride:][:4*size.X], out.Pix[y*out.Stride:][:size.X]
		last := pixel(row, 0)
		n := number[last]
		for x := range size.X {
			if v := pixel(row, x); v != last {
				last, n = v, number[v]
			}
			to[x] = n
		}
	}
	return out
}

// byCount lists colours, those that there are most of first.
func byCount(count map[uint32]int) []uint32 {
	out := make([]uint32, 0, len(count))
	for v := range count {
		out = append(out, v)
	}
	slices.SortFunc(out, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), cmp.Compare(a, b))
	})
	return out
}

// round16 rounds each channel to a multiple of 17, so that 0 and 255 stay.
func round16(v uint32) uint32 {
	out := uint32(0)
	for _, shift := range []int{16, 8, 0} {
		out |= (v>>shift&0xff + 8) / 17 * 17 << shift
	}
	return out
}

// nearest is the number of the colour that differs least, the first of equals.
func nearest(among []uint32, v uint32) uint8 {
	best, least := 0, 1<<30
	for i, c := range among {
		d := 0
		for _, shift := range []int{16, 8, 0} {
			e := int(c>>shift&0xff) - int(v>>shift&0xff)
			d += e * e
		}
		if d < least {
			best, least = i, d
		}
	}
	return uint8(best)
}

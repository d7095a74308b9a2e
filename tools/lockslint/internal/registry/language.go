package registry

import (
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// machine recognises the texts of a regular expression. Names are matched whole, so anchors mean nothing.
type machine struct{ prog *syntax.Prog }

func compile(re string) (machine, error) {
	parsed, err := syntax.Parse(re, syntax.Perl)
	if err != nil {
		return machine{}, err
	}
	prog, err := syntax.Compile(parsed.Simplify())
	return machine{prog}, err
}

// steps returns the instructions that read a rune, and whether the text may end, once everything that reads nothing
// has been followed from pc.
func (m machine) steps(pc uint32) (reads []uint32, ends bool) {
	seen := map[uint32]bool{}
	var follow func(pc uint32)
	follow = func(pc uint32) {
		if seen[pc] {
			return
		}
		seen[pc] = true
		switch inst := &m.prog.Inst[pc]; inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			follow(inst.Out)
			follow(inst.Arg)
		case syntax.InstCapture, syntax.InstEmptyWidth, syntax.InstNop:
			follow(inst.Out)
		case syntax.InstMatch:
			ends = true
		case syntax.InstFail:
		default:
			reads = append(reads, pc)
		}
	}
	follow(pc)
	slices.Sort(reads)
	return reads, ends
}

// ranges returns the runes that an instruction reads, as pairs of first and last.
func ranges(inst *syntax.Inst) []rune {
	switch {
	case inst.Op == syntax.InstRuneAny:
		return []rune{0, unicode.MaxRune}
	case inst.Op == syntax.InstRuneAnyNotNL:
		return []rune{0, '\n' - 1, '\n' + 1, unicode.MaxRune}
	case len(inst.Rune) > 1:
		return inst.Rune
	}
	pairs := []rune{inst.Rune[0], inst.Rune[0]}
	if syntax.Flags(inst.Arg)&syntax.FoldCase != 0 {
		for f := unicode.SimpleFold(inst.Rune[0]); f != inst.Rune[0]; f = unicode.SimpleFold(f) {
			pairs = append(pairs, f, f)
		}
	}
	return pairs
}

// commonRune returns a rune that both instructions read.
func commonRune(a, b *syntax.Inst) (rune, bool) {
	ra, rb := ranges(a), ranges(b)
	for i := 0; i < len(ra); i += 2 {
		for j := 0; j < len(rb); j += 2 {
			if low := max(ra[i], rb[j]); low <= min(ra[i+1], rb[j+1]) {
				return low, true
			}
		}
	}
	return 0, false
}

// Common returns a text that both regular expressions match, and false if there is none.
func Common(a, b string) (string, bool) {
	ma, errA := compile(a)
	mb, errB := compile(b)
	if errA != nil || errB != nil {
		return "", false
	}
	type pair struct{ a, b uint32 }
	type state struct {
		pair
		text string
	}
	first := pair{uint32(ma.prog.Start), uint32(mb.prog.Start)}
	seen := map[pair]bool{first: true}
	for queue := []state{{pair: first}}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		readsA, endsA := ma.steps(at.a)
		readsB, endsB := mb.steps(at.b)
		if endsA && endsB {
			return at.text, true
		}
		for _, pa := range readsA {
			for _, pb := range readsB {
				ia, ib := &ma.prog.Inst[pa], &mb.prog.Inst[pb]
				r, ok := commonRune(ia, ib)
				if next := (pair{ia.Out, ib.Out}); ok && !seen[next] {
					seen[next] = true
					queue = append(queue, state{next, at.text + string(r)})
				}
			}
		}
	}
	return "", false
}

// Beyond returns a text that part matches and whole doesn't, and false if there is none: if every text of part is
// one of whole.
func Beyond(part, whole string) (string, bool) {
	mp, errP := compile(part)
	mw, errW := compile(whole)
	if errP != nil || errW != nil {
		return "", false
	}
	// Between two neighbouring bounds all runes are read by the same instructions, so one of them stands for all.
	var bounds []rune
	for _, m := range []machine{mp, mw} {
		for i := range m.prog.Inst {
			inst := &m.prog.Inst[i]
			if slices.Contains([]syntax.InstOp{syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL}, inst.Op) {
				for j, r := range ranges(inst) {
					bounds = append(bounds, r+rune(j%2))
				}
			}
		}
	}
	slices.Sort(bounds)
	bounds = slices.Compact(bounds)

	type state struct {
		part  uint32
		whole []uint32
		text  string
	}
	key := func(s state) string {
		var b strings.Builder
		b.WriteString(strconv.Itoa(int(s.part)))
		for _, pc := range s.whole {
			b.WriteString(" " + strconv.Itoa(int(pc)))
		}
		return b.String()
	}
	start := state{part: uint32(mp.prog.Start), whole: []uint32{uint32(mw.prog.Start)}}
	seen := map[string]bool{key(start): true}
	for queue := []state{start}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		reads, ends := mp.steps(at.part)
		var wholeReads []uint32
		wholeEnds := false
		for _, pc := range at.whole {
			r, e := mw.steps(pc)
			wholeReads = append(wholeReads, r...)
			wholeEnds = wholeEnds || e
		}
		if ends && !wholeEnds {
			return at.text, true
		}
		for _, pc := range reads {
			inst := &mp.prog.Inst[pc]
			for _, r := range bounds {
				if !inst.MatchRune(r) {
					continue
				}
				next := state{part: inst.Out, text: at.text + string(r)}
				for _, w := range wholeReads {
					if wi := &mw.prog.Inst[w]; wi.MatchRune(r) {
						next.whole = append(next.whole, wi.Out)
					}
				}
				slices.Sort(next.whole)
				next.whole = slices.Compact(next.whole)
				if k := key(next); !seen[k] {
					seen[k] = true
					queue = append(queue, next)
				}
			}
		}
	}
	return "", false
}

// canHold reports whether a text of the regular expression may contain r.
func canHold(re string, r rune) bool {
	_, found := Common(re, "(?s:.*)"+`\x{`+strconv.FormatInt(int64(r), 16)+`}`+"(?s:.*)")
	return found
}

// fixedLength reports whether all texts of the regular expression have the same number of runes.
func fixedLength(re string) bool {
	parsed, err := syntax.Parse(re, syntax.Perl)
	if err != nil {
		return false
	}
	low, high := lengths(parsed.Simplify())
	return low == high
}

// lengths returns the fewest and the most runes that an expression matches; most is -1 where there is no limit.
func lengths(re *syntax.Regexp) (low, high int) {
	switch re.Op {
	case syntax.OpLiteral:
		return len(re.Rune), len(re.Rune)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 1, 1
	case syntax.OpCapture:
		return lengths(re.Sub[0])
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			l, h := lengths(sub)
			low += l
			if high >= 0 {
				high += h
			}
			if h < 0 {
				high = -1
			}
		}
		return low, high
	case syntax.OpAlternate:
		low, high = lengths(re.Sub[0])
		for _, sub := range re.Sub[1:] {
			l, h := lengths(sub)
			low = min(low, l)
			if h < 0 || high < 0 {
				high = -1
			} else {
				high = max(high, h)
			}
		}
		return low, high
	case syntax.OpQuest:
		_, high = lengths(re.Sub[0])
		return 0, high
	case syntax.OpPlus, syntax.OpStar, syntax.OpRepeat:
		return 0, -1 // Simplify has unrolled repetitions with a limit
	default:
		return 0, 0
	}
}

package rules

import (
	"encoding/json"
	"go/types"

	"holdfast/tools/lockslint/internal/registry"
)

// facts is what the packages that import one have to know of it. Its maps go by name, methods being Type.Method.
type facts struct {
	// Locking is what functions do to locks on connections that their caller gave them.
	Locking map[string]locking
	// Hashing are the functions that hash one of their parameters as a name.
	Hashing map[string]hashing
	// SQL is the text of variables that name lock functions. Constants carry theirs themselves.
	SQL map[string]string
}

// AFact marks facts as a fact of a package.
func (*facts) AFact() {}

// plainFacts is facts without its methods.
type plainFacts facts

// GobEncode writes the facts as JSON, whose maps are sorted: go vet caches by the bytes.
func (f *facts) GobEncode() ([]byte, error) { return json.Marshal((*plainFacts)(f)) }

// GobDecode reads what GobEncode wrote.
func (f *facts) GobDecode(text []byte) error { return json.Unmarshal(text, (*plainFacts)(f)) }

// locking is what a function does to locks.
type locking struct {
	Effects []effect
	// Begins reports whether the function sends a BEGIN, or starts what it is given with one.
	Begins bool
	// Closes reports whether the function defers the end of a connection, which it may lend to a closure.
	Closes bool
}

// effect is a lock taken, or let go of, on a parameter.
type effect struct {
	Kind        registry.Kind
	Release     bool
	Param       int
	NeedTx      bool // the caller must have begun a transaction
	NeedRelease bool // the caller must let go of it
}

// hashing says by what a function hashes which of its parameters.
type hashing struct {
	Hash  string
	Param int
}

// of returns the facts of a package, which may be the one that is looked at.
func (r *packageCheck) of(p *types.Package) *facts {
	if p == r.Pkg {
		return r.facts
	}
	f := new(facts)
	if p != nil {
		r.ImportPackageFact(p, f)
	}
	return f
}

// hasher returns how a function hashes a name, false if it doesn't.
func (r *packageCheck) hasher(f *types.Func) (hashing, bool) {
	if f == nil {
		return hashing{}, false
	}
	h, ok := r.of(f.Pkg()).Hashing[nameOf(f)]
	return h, ok
}

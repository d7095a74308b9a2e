package main

import (
	"fmt"
	"hash/fnv"
	"maps"
	"path"
	"slices"
	"strconv"
)

// check compares the registry with the code. What it finds it adds to the findings.
type check struct {
	*findings
	registry  registry
	code      *code
	libraries map[string]library
}

func (c *check) all() {
	for i, l := range c.registry.locks {
		c.name(l, c.registry.locks[:i])
		c.constructor(l)
		c.takers(l)
	}
	c.examples()
	c.makers()
	c.numbers()
	c.uses()
	c.statements()
	c.callers()
	c.thirdParties()
}

// declared reports whether the code declares what a row refers to, and complains if it doesn't.
func (c *check) declared(line int, r ref) bool {
	if c.code.declared[r] {
		return true
	}
	for other := range c.code.declared {
		if other.name == r.name && path.Dir(other.file) == path.Dir(r.file) {
			c.row(line, "%s isn't there, but %s is: correct the row", r, other)
			return false
		}
	}
	c.row(line, "%s isn't there: correct the row, or take it out", r)
	return false
}

// name checks a lock's name and number against the rows before it.
func (c *check) name(l lockRow, before []lockRow) {
	for _, other := range before {
		if other.name == l.name {
			c.row(l.line, "the name %s is also that of line %d: give each lock its own", l.name, other.line)
		}
		if other.numbered() && l.numbered() && other.number == l.number {
			c.row(l.line, "the number %d is also that of line %d: give each lock its own", l.number, other.line)
		}
	}
	for _, p := range part.FindAllString(l.name, -1) {
		if _, known := c.registry.parts[p]; !known {
			c.row(l.line, "%s is not in the table of parts: add its row there", p)
		}
	}
}

// constructor checks that a lock's key is made by what the row says.
func (c *check) constructor(l lockRow) {
	switch {
	case l.constructor == ref{}:
		if l.key != random {
			c.row(l.line, "the key %s needs a constructor: name it", l.key)
		}
		return
	case l.key == random:
		c.row(l.line, "a random key has no constructor: write %s", none)
		return
	case !c.declared(l.line, l.constructor):
		return
	case l.key == hashed:
		if !slices.ContainsFunc(c.code.makers, func(m place) bool { return m.ref == l.constructor }) {
			c.row(l.line, "%s doesn't hash a name with %s of %s: name who does", l.constructor, keyMaker, lockDir)
		}
		return
	}
	i := slices.IndexFunc(c.code.numbers, func(n number) bool { return n.ref == l.constructor })
	switch {
	case i < 0:
		c.row(l.line, "%s is no constant of the type %s of %s: declare the number there", l.constructor, numberType,
			lockDir)
	case c.code.numbers[i].literal && c.code.numbers[i].value != l.number:
		n := c.code.numbers[i]
		c.row(l.line, "the number of %s is %d and the row says %d: correct the wrong one", n.name, n.value, l.number)
	}
}

// takers checks that who is said to take a lock does. What a library does, and who takes a random key, can't be seen.
func (c *check) takers(l lockRow) {
	for _, taker := range l.takers {
		if !c.declared(l.line, taker) || l.key == random || !c.code.declared[l.constructor] || c.ofLibrary(l) {
			continue
		}
		if !slices.ContainsFunc(c.code.uses, func(u use) bool { return u.ref == taker && c.taken(u, l) }) {
			c.row(l.line, "%s neither is given keys of %s nor makes them: name who takes the lock, or write %s",
				taker, l.constructor.name, reserved)
		}
	}
}

// taken reports whether a use of the package of constructors means that its function takes a lock.
func (c *check) taken(u use, l lockRow) bool {
	if u.given {
		return c.code.returns[l.constructor.name] == u.name
	}
	return l.constructor.name == u.name
}

func (c *check) ofLibrary(l lockRow) bool {
	return slices.ContainsFunc(c.registry.libraries, func(row libraryRow) bool { return row.lock == l.name })
}

// examples checks that each hashed name has an example, and that its name and hashes are right.
func (c *check) examples() {
	for _, l := range c.registry.locks {
		its := func(e exampleRow) bool { return e.constructor == l.constructor.name }
		if l.key == hashed && !slices.ContainsFunc(c.registry.examples, its) {
			c.row(l.line, "%s has no example: add its row to the table of worked examples", l.name)
		}
	}
	for _, e := range c.registry.examples {
		its := func(l lockRow) bool { return l.key == hashed && l.constructor.name == e.constructor }
		i := slices.IndexFunc(c.registry.locks, its)
		if i < 0 {
			c.row(e.line, "%s is the constructor of no hashed name: correct the row, or take it out", e.constructor)
			continue
		}
		for _, l := range c.registry.locks {
			own := l.name == c.registry.locks[i].name
			if l.key == hashed && own != c.registry.names(l.name).MatchString(e.name) {
				c.row(e.line, "%s must be a name of %s and of no other lock, but compare %s", e.name,
					c.registry.locks[i].name, l.name)
			}
		}
		h := fnv.New64a()
		_, _ = h.Write([]byte(e.name))
		if hash := fmt.Sprintf("%016x", h.Sum64()); e.hash != hash {
			c.row(e.line, "the hash is %s: correct the row", hash)
		}
		if bigint := strconv.FormatInt(int64(h.Sum64()), 10); e.bigint != bigint {
			c.row(e.line, "the bigint is %s: correct the row", bigint)
		}
	}
}

// listed reports whether a row's constructor is r.
func (c *check) listed(r ref) bool {
	return slices.ContainsFunc(c.registry.locks, func(l lockRow) bool { return l.constructor == r })
}

// makers checks that who makes a key is listed.
func (c *check) makers() {
	for _, m := range c.code.makers {
		if !c.listed(m.ref) {
			c.at(m, "%s makes keys and is no constructor of %s: add the lock's row, or make them in its constructor",
				m.name, registryPath)
		}
	}
}

// numbers checks that each fixed number is listed.
func (c *check) numbers() {
	for _, n := range c.code.numbers {
		if !n.literal {
			c.at(n.place, "the number of %s can't be read: write it out", n.name)
		}
		if !c.listed(n.ref) {
			c.at(n.place, "%s is the number of a lock and isn't listed: add its row to %s", n.name, registryPath)
		}
	}
}

// uses checks that who gets keys, or makes them, is listed as the taker of their locks.
func (c *check) uses() {
	for _, u := range c.code.uses {
		for _, l := range c.registry.locks {
			if l.key != random && c.taken(u, l) && !slices.Contains(l.takers, u.ref) {
				c.at(u.place, `%s takes the lock %s: add it to "taken by" of that row in %s`, u.ref.name, l.name,
					registryPath)
			}
		}
		switch {
		case u.given && (u.name == setType || u.name == keyType):
			c.at(u.place, "%s takes keys of any kind: give it the type that a constructor returns", u.ref.name)
		case !u.given && u.name == numberType:
			c.at(u.place, "%s makes a lock's number: declare it as a constant in %s", u.ref.name, lockDir)
		}
	}
}

// statements checks that lock functions are named where the registry says, and nowhere else.
func (c *check) statements() {
	for i, row := range c.registry.statements {
		same := func(s statementRow) bool { return s.ref == row.ref && s.function == row.function }
		if slices.ContainsFunc(c.registry.statements[:i], same) {
			c.row(row.line, "%s is listed twice with %s: take one row out", row.ref, row.function)
		}
		if !slices.ContainsFunc(c.code.mentions, func(m mention) bool {
			return m.ref == row.ref &&
				m.function == row.function
		}) {
			c.row(row.line, "%s doesn't name %s: correct the row, or take it out", row.ref, row.function)
		}
	}
	for _, m := range c.code.mentions {
		i := slices.IndexFunc(c.registry.statements,
			func(s statementRow) bool { return s.ref == m.ref && s.function == m.function })
		switch {
		case i < 0 && m.name == "":
			c.at(m.place, "%s is named outside of a query: take locks by the statements that %s lists", m.function,
				registryPath)
		case i < 0:
			c.at(m.place, "%s is named here: take locks by the statements that %s lists, or list `%s` there",
				m.function, registryPath, m.ref)
		case c.registry.statements[i].kind != m.kind:
			row := c.registry.statements[i]
			c.row(row.line, "%s is of the kind %s and the row says %s: correct the row", m.function, m.kind, row.kind)
		case m.kind != mentioned && !m.alone:
			c.at(m.place, "the statement of %s does more than call it with one parameter, also for a tenant's row: make it one of its own",
				m.function)
		}
	}
}

// callers checks that the statements are called where the registry says, and nowhere else.
func (c *check) callers() {
	for _, row := range c.registry.statements {
		for _, caller := range row.callers {
			calls := func(called call) bool { return called.ref == caller && called.method == row.ref.name }
			if c.declared(row.line, caller) && !slices.ContainsFunc(c.code.calls, calls) {
				c.row(row.line, "%s doesn't call %s: correct the row", caller, row.ref.name)
			}
		}
		if row.kind == mentioned || path.Ext(row.ref.file) != ".sql" {
			continue
		}
		for _, called := range c.code.calls {
			switch {
			case called.method != row.ref.name:
			case !slices.Contains(row.callers, called.ref):
				c.at(called.place, `%s is called here: add %s to "called by" of that row in %s`, row.ref.name,
					called.ref, registryPath)
			case called.number:
				c.at(called.place, "the lock's number is written out: declare it as a constant in %s, and list it",
					lockDir)
			}
		}
	}
}

// thirdParties checks that the libraries that take locks are listed, with the numbers that they use.
func (c *check) thirdParties() {
	for _, module := range slices.Sorted(maps.Keys(c.libraries)) {
		if !slices.ContainsFunc(c.registry.libraries, func(row libraryRow) bool { return row.module == module }) {
			c.at(place{ref{file: "go.mod"}, 1},
				"%s names lock functions: list it in %s with the lock that it takes, or %s",
				module, registryPath, none)
		}
	}
	for _, row := range c.registry.libraries {
		used, built := c.libraries[row.module]
		i := slices.IndexFunc(c.registry.locks, func(l lockRow) bool { return l.name == row.lock })
		switch {
		case !built:
			c.row(row.line, "%s isn't built in, or names no lock functions: take the row out", row.module)
		case row.lock == "":
		case i < 0:
			c.row(row.line, "there is no lock %s: add its row to the table of locks", row.lock)
		case !slices.Contains(used.numbers, c.registry.locks[i].number):
			l := c.registry.locks[i]
			c.row(l.line, "%s declares the numbers %v and the row says %s: correct the row", row.module, used.numbers,
				l.key)
		}
	}
}

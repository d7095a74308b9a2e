package change

// Subject is a kind of things of which changes are recorded.
type Subject struct {
	// Name is its name, with which the types of its changes begin.
	Name string
	// Events are what happens to it: its types of changes and notices without their beginning.
	Events []string
	// Schema names the schema of the data of its events in the API, and About says what they are.
	Schema, About string
	// Path is where the API has its things, and Tag the group of their operations. Empty for what has no history of its
	// own.
	Path, Tag string
}

// Types returns the types of changes and notices of the subject.
func (s Subject) Types() []string {
	types := make([]string, len(s.Events))
	for i, e := range s.Events {
		types[i] = s.Name + "." + e
	}
	return types
}

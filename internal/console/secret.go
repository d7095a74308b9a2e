package console

// secretPage shows a secret, this once.
type secretPage struct {
	Tabs          []tab
	Heading, Name string
	Label         string // of the secret; Secret if empty
	Secret        string // empty if the form was sent again
	Lost, Back    string
	Note          string
}

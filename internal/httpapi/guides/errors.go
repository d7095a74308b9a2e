package guides

import (
	"bytes"
	"html/template"
	"regexp"

	"holdfast/docs"
)

// errorsPage returns the body of the page that the type of a problem document leads to: the tables of docs/errors.md,
// with an anchor for each code.
func errorsPage() template.HTML {
	codes := tableRows("| status | code | key | meaning | what to do |")
	for _, row := range codes {
		row.Cells[0], row.Cells[1] = row.Cells[1], row.Cells[0] // who comes here has a code
	}
	var page bytes.Buffer
	err := template.Must(template.New("errors").Parse(errorsTemplate)).Execute(&page, map[string][]tableRow{
		"Codes":  codes,
		"Fields": tableRows("| code | meaning |"),
	})
	if err != nil {
		panic(err) // the template and the text are parts of the binary; a test renders them
	}
	return template.HTML(page.String()) //nolint:gosec // docs/errors.md is ours, and is escaped
}

// tableRow is a row of a table.
type tableRow struct {
	// IDs are the codes that the row explains.
	IDs   []string
	Cells []template.HTML
}

var codeSpan = regexp.MustCompile("`([^`]*)`")

// tableRows returns the rows under the header of a table of docs/errors.md.
func tableRows(header string) (rows []tableRow) {
	for _, cells := range docs.Table(docs.Errors, header)[1:] {
		var row tableRow
		for _, cell := range cells {
			if row.IDs == nil { // the first cell with code says what the row is about
				for _, code := range codeSpan.FindAllStringSubmatch(cell, -1) {
					row.IDs = append(row.IDs, code[1])
				}
			}
			cell = codeSpan.ReplaceAllString(template.HTMLEscapeString(cell), "<code>$1</code>")
			row.Cells = append(row.Cells, template.HTML(cell)) //nolint:gosec // docs/errors.md is ours, and is escaped
		}
		rows = append(rows, row)
	}
	return rows
}

const errorsTemplate = `<h1>Error codes</h1>
<p>Programs read <code>code</code>: codes are stable, titles and details are for people. The <code>Request-Id</code> in the headers of an
answer finds the request in the server's log. <em>Key</em> says what a refusal does to the <code>Idempotency-Key</code>: <em>free</em>,
nothing was stored, and the key can be used again; <em>final</em>, a new attempt needs a new key.</p>
<table>
<thead><tr><th>Code</th><th>Status</th><th>Key</th><th>Meaning</th><th>What to do</th></tr></thead>
<tbody>
{{range .Codes}}<tr{{range .IDs}} id="{{.}}"{{end}}>{{range .Cells}}<td>{{.}}</td>{{end}}</tr>
{{end}}</tbody>
</table>
<h2 id="fields">Codes of fields</h2>
<p>In <code>validation_failed</code>, each entry of <code>errors</code> has a code of its own.</p>
<table>
<thead><tr><th>Code</th><th>Meaning</th></tr></thead>
<tbody>
{{range .Fields}}<tr>{{range .Cells}}<td>{{.}}</td>{{end}}</tr>
{{end}}</tbody>
</table>
`

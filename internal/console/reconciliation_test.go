package console_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html/atom"

	"holdfast/internal/user"
)

func TestReconciliation_SaysWhatDiffersInWords(t *testing.T) {
	t.Parallel()
	f := fund(t, "Grace Hopper")
	f.received(t, f.booking, 500)
	p := f.at(t, f.signedIn(t, "ada", user.RoleStaff), "/payments").Follow(t, "Reconciliation")
	require.NotContains(t, p.Text(), "Everything agrees", "nothing is compared before somebody asks")
	day := todayInBerlin(t) // or the day before, when the payments were made
	form := p.Form(t, "Compare").With("from", day.AddDays(-1).String()).With("to", day.String())
	agrees := form.Submit(t)
	for _, words := range []string{"Everything agrees.", "Payments and refunds here 3",
		"Charges and refunds of the provider 2",
		"Cash €5"} {
		require.Contains(t, agrees.Text(), words)
	}
	f.exec(t, "UPDATE payments SET amount = 900 WHERE payment_id = $1", f.payment)
	differs := form.Submit(t)
	for _, words := range []string{
		"1 difference.", "The amounts differ.", "Ask the operator of this server.", "Here Payment of €9, Succeeded",
		"At the provider Payment of €10",
	} {
		require.Contains(t, differs.Text(), words)
	}
	require.Equal(t, "/console/harbour/payments/"+f.payment, differs.Follow(t, "To the payment").URL.Path)
	require.Contains(t, form.With("from", "2020-01-01").With("to", "2020-01-31").Submit(t).Text(),
		"There was nothing to compare on these days.")
}

func TestReconciliation_OtherRolesOtherTenantsAndOddDates(t *testing.T) {
	t.Parallel()
	f := fund(t, "Grace Hopper")
	owner, reader, foreign := f.signedIn(t, "ada", user.RoleOwner), f.signedIn(t, "joan", user.RoleRead), f.foreigner(t)
	require.Equal(t, http.StatusForbidden, f.at(t, reader, "/payments/reconciliation").Status)
	path := f.url + "/console/harbour/payments/reconciliation"
	require.Equal(t, http.StatusForbidden, reader.By.Send(t, http.MethodPost, path, tokenOf(t, reader)).Status)
	require.Equal(t, http.StatusForbidden, owner.By.Send(t, http.MethodPost, path, url.Values{}).Status,
		"without the token")
	island := foreign.By.Open(t, f.url+"/console/island/payments/reconciliation").Press(t, "Compare")
	require.Contains(t, island.Text(), "There was nothing to compare on this day.", "nothing of another tenant")
	page := f.at(t, owner, "/payments/reconciliation")
	for _, dates := range [][2]string{{"x", "y"}, {"2027-02-30", "2027-03-01"}, {"2027-01-02", "2027-01-01"},
		{"2027-01-01", "2027-02-01"}} {
		refused := page.Form(t, "Compare").With("from", dates[0]).With("to", dates[1]).Submit(t)
		require.Equal(t, http.StatusUnprocessableEntity, refused.Status, dates)
	}
	requireForm(t, owner, page.FormOf(t, page.All(atom.Form)[1]))
}

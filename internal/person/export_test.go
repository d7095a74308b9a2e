package person_test

import (
	"encoding/json"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/customer"
	"holdfast/internal/person"
	"holdfast/internal/problem"
)

func (b *testBundle) export(t testing.TB, id uuid.UUID) person.ExportBody {
	t.Helper()
	body, err := b.service.Export(t.Context(), b.tenant, id)
	require.NoError(t, err)
	return body
}

func TestExport_LongList_IsCutAndNamed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ada, err := b.customer.Create(t.Context(), b.tenant, request(t), named("Ada"))
	require.NoError(t, err)
	_, err = b.sql.Exec(t.Context(), `INSERT INTO changes (tenant_id, change_id, type, subject_type, subject_id,
		version, notice, occurred_at, data)
		SELECT tenant_id, gen_random_uuid(), 'customer.updated', subject_type, subject_id, n, false,
			occurred_at + n * interval '1 second',
			'{}'
		FROM changes, generate_series(2, 1001) n WHERE subject_id = $1`, ada.ID)
	require.NoError(t, err)
	e := b.export(t, ada.ID)
	require.Equal(t, []string{"history"}, e.More)
	require.Len(t, e.History, 1000)
	_, err = b.service.Export(t.Context(), b.tenant, uuid.New())
	requireCode(t, problem.NotFound, err)
}

// requireTold requires of a customer's export which versions of a booking its history has, and which words it has and
// hasn't.
func (b *testBundle) requireTold(t testing.TB, customer, made uuid.UUID, versions []int64, has, hasNot []string) {
	t.Helper()
	e := b.export(t, customer)
	var got []int64
	for _, h := range e.History {
		if h.SubjectID == made {
			got = append(got, h.Version)
		}
	}
	require.Equal(t, versions, got)
	text, err := json.Marshal(e)
	require.NoError(t, err)
	for _, word := range has {
		require.Contains(t, string(text), word)
	}
	for _, word := range hasNot {
		require.NotContains(t, string(text), word)
	}
}

func TestExport_BookingThatGoesFromOneCustomerToAnother_TellsEachItsOwnTime(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made, ada := b.bookFor(t, named("Ada"), `{"note": "allergic to nuts"}`)
	_, grace := b.bookFor(t, named("Grace"), "")
	b.give(t, made, &grace, `{"note": "by the window"}`)
	b.give(t, made, nil, `{"note": "with a dog"}`)
	b.requireTold(t, ada, made, []int64{1, 2}, []string{"nuts"}, []string{"window", "dog", grace.String()})
	b.requireTold(t, grace, made, []int64{2, 3}, []string{"window"}, []string{"nuts", ada.String()})

	b.give(t, made, &ada, `{"note": "on her own"}`)
	b.requireTold(t, ada, made, []int64{1, 2, 4}, nil, nil)
	b.requireTold(t, grace, made, []int64{2, 3, 4}, nil, []string{"her own"})

	_, linus := b.bookFor(t, named("Linus"), "")
	b.give(t, made, &linus, `{"note": "after dinner"}`)
	b.requireTold(t, ada, made, []int64{1, 2, 4, 5}, // the booking was Ada's twice
		[]string{"nuts", "her own"}, []string{"window", "dog", "dinner", grace.String(), linus.String()})
	b.requireTold(t, grace, made, []int64{2, 3, 4}, nil,
		[]string{"nuts", "her own", "dinner", ada.String(), linus.String()})
	b.requireTold(t, linus, made, []int64{5}, nil, []string{"nuts", "window", "dog", "her own"})

	b.give(t, made, &ada, "")
	require.NoError(t, b.merge(t, grace, ada))
	b.requireTold(t, ada, made, []int64{1, 2, 3, 4, 5, 6}, nil, nil) // both were one person
	b.requireTold(t, linus, made, []int64{5, 6}, nil, nil)
}

func TestExport_LargeRows_EndTheirLists(t *testing.T) {
	t.Parallel()
	b := setup(t)
	person := customer.Customer{Name: "Ada", Email: "ada@example.com"}
	var ada uuid.UUID
	for range 3 {
		_, ada = b.bookFor(t, person, "")
	}
	const large = 3 << 20 // of which two are more than the limit
	_, err := b.sql.Exec(t.Context(), `
		UPDATE bookings SET details = json_build_object('metadata', json_build_object('note', repeat('x', $1)))`, large)
	require.NoError(t, err)
	e := b.export(t, ada)
	require.Equal(t, []string{"bookings"}, e.More, "the history is that of the bookings shown")
	require.Len(t, e.Bookings, 2)
	require.Len(t, e.History, 3)

	_, err = b.sql.Exec(t.Context(),
		"UPDATE changes SET data = json_build_object('note', repeat('x', $1)) WHERE subject_type = 'booking'",
		2*large)
	require.NoError(t, err)
	e = b.export(t, ada)
	require.Equal(t, []string{"bookings", "history"}, e.More)
	require.Len(t, e.History, 2)
}

package httpapi

import (
	"context"
	"net/http"

	"holdfast/internal/customer"
	"holdfast/internal/etag"
	"holdfast/internal/httpapi/paging"
	"holdfast/internal/httpapi/schema"
	"holdfast/internal/idempotency"
	"holdfast/internal/person"
)

type listCustomersInput struct {
	paging.Input
	ArchivedInput
	Email string `query:"email" maxLength:"254" doc:"Only the customer with this email, in any case."`
	Text  string `query:"q" minLength:"3" maxLength:"200" doc:"Only customers whose name, email or phone begins with this text, as it is, in small letters, in capitals, or with a capital at its beginning or at that of each word. Of each, the first 1,000 are looked at."`
}

type changeCustomerInput struct {
	IDInput
	IfMatchInput
	Body schema.Patch[customer.CustomerSpecBody]
}

type exportOutput struct {
	Disposition string `header:"Content-Disposition"`
	Body        person.ExportBody
}

type mergeCustomerInput struct {
	IDInput
	IfMatchInput
	Body person.MergeRequest
}

func (a *API) routeCustomers() {
	const path, tag = "/v1/customers", "Customers"

	register(a, route{
		op:          customer.OpListCustomers,
		method:      http.MethodGet,
		path:        path,
		tag:         tag,
		mayBeStale:  true,
		errors:      []int{422},
		summary:     "List customers, or find some",
		description: "By id. Customers who were erased or merged aren't listed; each can be read by its id.",
	}, a.listCustomers)

	registerIdempotent[customer.DetailsBody](a, route{
		op:          customer.OpCreateCustomer,
		method:      http.MethodPost,
		path:        path,
		tag:         tag,
		status:      http.StatusCreated,
		errors:      []int{409},
		summary:     "Make a customer",
		description: "A booking makes its customer too. Another customer with this email is refused with already_exists.",
	}, func(ctx context.Context, in *struct{ Body customer.CustomerSpecBody }) (idempotency.Outcome, error) {
		given, err := in.Body.Customer("")
		if err != nil {
			return idempotency.Outcome{}, err
		}
		return a.Customers.Create(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, given)
	})

	registerGetVersioned(a, route{
		op: customer.OpGetCustomer, path: path + "/{id}", tag: tag, summary: "Read a customer",
		description: "GET /v1/bookings?customer_id= lists the customer's bookings, GET /v1/wallets?customer_id= the wallets.",
	}, a.Customers.Get)

	register(a, route{
		op:      customer.OpChangeCustomer,
		method:  http.MethodPatch,
		path:    path + "/{id}",
		tag:     tag,
		errors:  []int{404, 409, 412},
		summary: "Change a customer",
		description: schema.MergePatch + "Bookings keep the contact that was given for them. " +
			"A change to what is already so keeps the version.",
	}, func(ctx context.Context, in *changeCustomerInput) (*versioned[customer.DetailsBody], error) {
		return versionedOf(a.Customers.Change(ctx, callOf(ctx).tenant, in.ID, in.Body.Patch,
			etag.Precondition(in.IfMatch)))
	})

	register(a, route{
		op:      customer.OpExportCustomer,
		method:  http.MethodGet,
		path:    path + "/{id}/export",
		tag:     tag,
		errors:  []int{404},
		summary: "Export what is stored of a customer",
		description: "One JSON document for the person: the customer with bookings, payments, wallets, scheduled events and history, of " +
			"each at most 1,000 rows, as they were at one moment. " +
			"Of an erased customer it shows what is left.",
	}, func(ctx context.Context, in *IDInput) (*exportOutput, error) {
		body, err := a.Persons.Export(ctx, callOf(ctx).tenant, in.ID)
		return &exportOutput{Disposition: `attachment; filename="customer-` + in.ID.String() + `.json"`, Body: body},
			err
	})

	registerIdempotent[customer.DetailsBody](a, route{
		op:      customer.OpEraseCustomer,
		method:  http.MethodPost,
		path:    path + "/{id}/erase",
		tag:     tag,
		noBody:  true,
		status:  http.StatusOK,
		errors:  []int{404, 409, 412},
		summary: "Erase a customer's personal data",
		description: "Name, email and all else that tells who the customer is go from the customer, its bookings, the events, " +
			"histories, stored responses " +
			"and recorded deliveries. Money, dates and ids stay. It can't be undone.",
	}, func(ctx context.Context, in *changeInput) (idempotency.Outcome, error) {
		return a.Persons.Erase(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID, etag.Precondition(in.IfMatch))
	})

	registerIdempotent[customer.DetailsBody](a, route{
		op:      customer.OpMergeCustomer,
		method:  http.MethodPost,
		path:    path + "/{id}/merge",
		tag:     tag,
		status:  http.StatusOK,
		errors:  []int{404, 409, 412, 422},
		summary: "Merge a customer into another one",
		description: "The other customer gets the bookings, the wallets, and the phone, time zone and birthday that it lacks, and is " +
			"the response. This one stays " +
			"as an id with merged_into. It can't be undone. If-Match means the customer of the path; the answer, with its ETag, is the " +
			"other one.",
	}, func(ctx context.Context, in *mergeCustomerInput) (idempotency.Outcome, error) {
		return a.Persons.Merge(ctx, callOf(ctx).tenant, callOf(ctx).idempotency, in.ID, in.Body.Into,
			etag.Precondition(in.IfMatch))
	})

	registerUnconditionalArchive[customer.DetailsBody](a, path, tag, route{
		op: customer.OpArchiveCustomer, summary: "Leave a customer out of lists", errors: []int{404, 409, 412},
		description: "The customer is in no list without archived=true. Nothing else changes: bookings go on, greetings are sent, and " +
			"new bookings with the " +
			"email are the customer's.",
	}, route{
		op: customer.OpUnarchiveCustomer, summary: "List an archived customer again", errors: []int{404, 409, 412},
	}, a.Customers.Archive)
}

func (a *API) listCustomers(ctx context.Context, in *listCustomersInput) (*pageOutput[customer.DetailsBody], error) {
	after, err := in.AfterID()
	if err != nil {
		return nil, err
	}
	f := customer.Filter{Email: in.Email, Text: in.Text, Archived: in.Archived, After: after, Limit: in.Limit + 1}
	list, err := a.Customers.List(ctx, callOf(ctx).tenant, f)
	if err != nil {
		return nil, err
	}
	return &pageOutput[customer.DetailsBody]{paging.Of(list, in.Limit, customer.Details.Body,
		func(c customer.Details) string { return c.ID.String() })}, nil
}

package schema

import (
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"holdfast/internal/booking"
	"holdfast/internal/catalog"
	"holdfast/internal/change"
	"holdfast/internal/customer"
	"holdfast/internal/lockview"
	"holdfast/internal/message"
	"holdfast/internal/payment"
	"holdfast/internal/person"
	"holdfast/internal/problem"
	"holdfast/internal/settings"
	"holdfast/internal/tenant"
	"holdfast/internal/wallet"
	"holdfast/internal/webhook"
)

// schemaNames has the names of types that their names in Go, without Body, would name less well.
var schemaNames = map[reflect.Type]string{
	reflect.TypeFor[booking.CancelRequest]():      "Cancel",
	reflect.TypeFor[booking.ConfirmHoldRequest](): "ConfirmHold",
	reflect.TypeFor[booking.ConfirmRequest]():     "Confirm",
	reflect.TypeFor[booking.CreateRequest]():      "NewBooking",
	reflect.TypeFor[booking.ExtendRequest]():      "Extend",
	reflect.TypeFor[booking.HoldRequest]():        "NewHold",
	reflect.TypeFor[booking.NoShowRequest]():      "FeeInput",
	reflect.TypeFor[booking.QuoteRequest]():       "NewQuote",
	reflect.TypeFor[booking.RescheduleRequest]():  "Reschedule",
	reflect.TypeFor[booking.UpdateRequest]():      "UpdateBooking",
	reflect.TypeFor[catalog.Archiving]():          "Archive",
	reflect.TypeFor[change.SubjectBody]():         "EventSubject",
	reflect.TypeFor[customer.CustomerBody]():      "BookingCustomer",
	reflect.TypeFor[customer.DetailsBody]():       "Customer",
	reflect.TypeFor[lockview.BlockerBody]():       "LockBlocker",
	reflect.TypeFor[lockview.HolderBody]():        "LockHolder",
	reflect.TypeFor[lockview.LinkBody]():          "LockLink",
	reflect.TypeFor[lockview.WaiterBody]():        "LockWaiter",
	reflect.TypeFor[message.PreviewRequest]():     "EmailPreview",
	reflect.TypeFor[payment.AccountBody]():        "PaymentAccount",
	reflect.TypeFor[payment.AccountRequest]():     "NewPaymentAccount",
	reflect.TypeFor[payment.AccountSpec]():        "PaymentAccountSpec",
	reflect.TypeFor[payment.BalanceSummary]():     "Balance",
	reflect.TypeFor[payment.CheckoutRequest]():    "Checkout",
	reflect.TypeFor[payment.HoldPayRequest]():     "NewHoldPayment",
	reflect.TypeFor[payment.ListedBody]():         "ListedPayment",
	reflect.TypeFor[payment.OnboardingPages]():    "NewOnboardingLink",
	reflect.TypeFor[payment.PayRequest]():         "NewPayment",
	reflect.TypeFor[payment.RefundRequest]():      "NewRefund",
	reflect.TypeFor[person.ExportBody]():          "CustomerExport",
	reflect.TypeFor[problem.Document]():           "ProblemDocument",
	reflect.TypeFor[problem.Field]():              "ProblemField",
	reflect.TypeFor[person.MergeRequest]():        "MergeCustomerInput",
	reflect.TypeFor[settings.LogoRequest]():       "Logo",
	reflect.TypeFor[settings.Body]():              "TenantSettings",
	reflect.TypeFor[settings.BookingPage]():       "PublicBookingPage",
	reflect.TypeFor[tenant.APIKeyBody]():          "ApiKey",
	reflect.TypeFor[tenant.CreateRequest]():       "NewTenant",
	reflect.TypeFor[tenant.IssueRequest]():        "IssuedKey",
	reflect.TypeFor[tenant.KeyChange]():           "ChangedKey",
	reflect.TypeFor[tenant.KeyRequest]():          "NewKey",
	reflect.TypeFor[tenant.KeyRotation]():         "RotateKey",
	reflect.TypeFor[tenant.NewAPIKeyBody]():       "NewApiKey",
	reflect.TypeFor[tenant.SuspendRequest]():      "Suspend",
	reflect.TypeFor[wallet.CaptureRequest]():      "Capture",
	reflect.TypeFor[wallet.CreateRequest]():       "CreateWallet",
	reflect.TypeFor[wallet.CreditRequest]():       "Credit",
	reflect.TypeFor[wallet.DebitRequest]():        "Debit",
	reflect.TypeFor[wallet.EntryBody]():           "WalletEntry",
	reflect.TypeFor[wallet.HoldBody]():            "WalletHold",
	reflect.TypeFor[wallet.LookupRequest]():       "WalletCode",
	reflect.TypeFor[wallet.TransferRequest]():     "CreateTransfer",
	reflect.TypeFor[webhook.AttemptBody]():        "DeliveryAttempt",
	reflect.TypeFor[webhook.EndpointPatch]():      "ChangedEndpoint",
	reflect.TypeFor[webhook.EndpointBody]():       "WebhookEndpoint",
	reflect.TypeFor[webhook.EndpointRequest]():    "NewEndpoint",
	reflect.TypeFor[webhook.Range]():              "EventRange",
}

// schemaName returns a type's name in the document. A page is named by what it lists, such as BookingPage.
func schemaName(t reflect.Type, hint string) string {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if name, ok := schemaNames[t]; ok {
		return name
	}
	if strings.HasPrefix(t.Name(), "Page[") {
		data, _ := t.FieldByName("Data")
		return schemaName(data.Type.Elem(), "") + "Page"
	}
	return strings.TrimSuffix(huma.DefaultSchemaNamer(t, hint), "Body")
}

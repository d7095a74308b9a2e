package receiptpdf

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/civil"
	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"holdfast/internal/payment"
)

func aReceipt() payment.Receipt {
	return payment.Receipt{
		Number:        "01890A5D-AC96-774B-BCCE-B302099A8057",
		IssuedAt:      time.Date(2026, 7, 1, 23, 30, 0, 5, time.UTC),
		Date:          civil.Date{Year: 2026, Month: 7, Day: 14},
		TenantName:    "Café Zürich",
		ServiceName:   "Παράδεισος",
		CustomerName:  "Ада Łukasz",
		CustomerEmail: "ada@example.com",
		Amount:        123450,
		Currency:      "EUR",
	}
}

// textOf reads the text of a PDF with pdftotext of poppler, page by page.
func textOf(t *testing.T, pdf []byte) []string {
	t.Helper()
	tool, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("pdftotext, of poppler-utils, isn't installed")
	}
	file := filepath.Join(t.TempDir(), "receipt.pdf")
	require.NoError(t, os.WriteFile(file, pdf, 0o600))
	text, err := exec.CommandContext(t.Context(), tool, "-layout", file, "-").Output()
	require.NoError(t, err)
	return strings.Split(strings.TrimSuffix(string(text), "\f"), "\f")
}

func TestReceiptPDF_SaysWhatTheReceiptSays_OnOnePage(t *testing.T) {
	t.Parallel()
	r := aReceipt()
	for range 3 {
		r.Refunds = append(r.Refunds,
			payment.ReceiptRefund{ID: uuid.New(), Amount: 1005, At: r.IssuedAt.AddDate(0, 0, 2)})
	}
	page, err := Render(r)
	require.NoError(t, err)
	pages := textOf(t, page)
	require.Len(t, pages, 1)
	for _, text := range []string{
		r.Number, "1 July 2026", "14 July 2026", "Café Zürich", "Παράδεισος", "Ада Łukasz", "ada@example.com",
		"1,234.50 EUR",
		"10.05 EUR on 3 July 2026", "1,204.35 EUR",
	} {
		require.Contains(t, pages[0], text)
	}
}

func TestReceiptPDF_OfAnOfflinePayment_SaysHowMoneyMoved(t *testing.T) {
	t.Parallel()
	r := aReceipt()
	r.OfflineMethod = payment.CardTerminal
	r.Refunds = []payment.ReceiptRefund{
		{ID: uuid.New(), Amount: 1005, At: r.IssuedAt, OfflineMethod: payment.Cash},
		{ID: uuid.New(), Amount: 1006, At: r.IssuedAt, OfflineMethod: payment.BankTransfer},
	}
	page, err := Render(r)
	require.NoError(t, err)
	for _, text := range []string{"1,234.50 EUR at a card terminal", "10.05 EUR in cash on 1 July",
		"10.06 EUR by bank transfer on 1 July"} {
		require.Contains(t, textOf(t, page)[0], text)
	}
}

func TestReceiptPDF_HasTheDecimalsOfTheCurrency(t *testing.T) {
	t.Parallel()
	for currency, want := range map[string]string{"JPY": "123,450 JPY", "EUR": "1,234.50 EUR", "KWD": "123.450 KWD"} {
		r := aReceipt()
		r.Currency = currency
		page, err := Render(r)
		require.NoError(t, err)
		require.Contains(t, textOf(t, page)[0], want)
	}
}

func TestReceiptPDF_EmojiLongNamesAndManyRefunds_StillAreOnePage(t *testing.T) {
	t.Parallel()
	r := aReceipt()
	r.CustomerName = "Ada 🚀\u200d👩 Lovelace\x00\n\U0010FFFF\xff"
	r.TenantName, r.ServiceName = strings.Repeat("Wörter ", 100), strings.Repeat("W", 5000)
	r.CustomerEmail = strings.Repeat("w", 200) + "@example.com"
	for range 1000 {
		r.Refunds = append(r.Refunds, payment.ReceiptRefund{Amount: 1, At: r.IssuedAt})
	}
	page, err := Render(r)
	require.NoError(t, err)
	pages := textOf(t, page)
	require.Len(t, pages, 1)
	require.Contains(t, pages[0], "Ada Lovelace")
	require.Contains(t, pages[0], "and 990 more, in all 10.00 EUR")
	require.Contains(t, pages[0], "1,224.50 EUR", "the last line is on the page too")
}

func TestReceiptPDF_TheSameReceipt_GivesTheSameBytes(t *testing.T) {
	t.Parallel()
	first, err := Render(aReceipt())
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(first), "%PDF-"))
	for range 5 {
		again, err := Render(aReceipt())
		require.NoError(t, err)
		require.Equal(t, first, again)
	}
}

func TestPDFText_KeepsWhatCanBePrinted(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Ada":                      "Ada",
		" Ada\n\tLovelace ":        "Ada Lovelace",
		"Ada 🚀 Lovelace":           "Ada Lovelace",
		"❤\ufe0f":                  "❤",
		"🚀":                        "",
		strings.Repeat("é", 300):   strings.Repeat("é", 149) + "…",
		"\u202eevil\x1b[31m\u0000": "evil[31m",
	} {
		require.Equal(t, want, pdfText(text))
	}
}

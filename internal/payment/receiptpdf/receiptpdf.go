// Package receiptpdf prints receipts of payments as PDF documents.
package receiptpdf

import (
	"bytes"
	"fmt"
	"strings"
	"time"
	"unicode"

	"codeberg.org/go-fonts/dejavu/dejavusanscondensed"
	"codeberg.org/go-pdf/fpdf"

	"holdfast/internal/amount"
	"holdfast/internal/payment"
)

// MediaType is the media type of what Render returns.
const MediaType = "application/pdf"

// The page, in millimetres, and its type, in points.
const (
	pageMargin   = 25.0
	labelWidth   = 40.0
	lineHeight   = 6.5
	titleSize    = 18.0
	textSize     = 11.0
	maxPDFText   = 150 // characters of a name that are printed
	mostRefunds  = 10  // refunds that are listed; of more the sum is printed
	receiptFont  = "dejavu"
	receiptDay   = "2 January 2006"
	receiptLabel = 110 // the grey of labels, of 255
)

// Render puts a receipt on one page of A4. The same receipt gives the same bytes. The font has Latin, Greek and
// Cyrillic letters, and no Chinese, Japanese or Korean ones: those are shown as boxes.
func Render(r payment.Receipt) ([]byte, error) {
	pdf := fpdf.New("P", "mm", "A4", "")
	changed := r.IssuedAt
	if n := len(r.Refunds); n > 0 {
		changed = r.Refunds[n-1].At
	}
	pdf.SetCatalogSort(true)
	pdf.SetCreationDate(r.IssuedAt.UTC().Truncate(time.Second))
	pdf.SetModificationDate(changed.UTC().Truncate(time.Second))
	pdf.SetTitle("Receipt "+r.Number, true)
	pdf.SetLang("en")
	pdf.AddUTF8FontFromBytes(receiptFont, "", dejavusanscondensed.TTF)
	pdf.SetMargins(pageMargin, pageMargin, pageMargin)
	pdf.SetAutoPageBreak(false, 0)
	pdf.AddPage()

	pdf.SetFont(receiptFont, "", titleSize)
	pdf.MultiCell(0, 9, pdfText(r.TenantName), "", "L", false)
	pdf.SetFont(receiptFont, "", textSize)
	pdf.MultiCell(0, lineHeight, "Receipt", "", "L", false)
	row := func(label, value string) {
		pdf.SetTextColor(receiptLabel, receiptLabel, receiptLabel)
		pdf.CellFormat(labelWidth, lineHeight, label, "", 0, "L", false, 0, "")
		pdf.SetTextColor(0, 0, 0)
		pdf.MultiCell(0, lineHeight, value, "", "L", false)
	}
	rule := func() {
		width, _ := pdf.GetPageSize()
		pdf.SetDrawColor(receiptLabel, receiptLabel, receiptLabel)
		pdf.Ln(3)
		pdf.Line(pageMargin, pdf.GetY(), width-pageMargin, pdf.GetY())
		pdf.Ln(3)
	}
	rule()
	row("Number", r.Number)
	row("Paid on", r.IssuedAt.Format(receiptDay))
	if r.CustomerEmail != "" {
		row("Customer", pdfText(r.CustomerName))
		row("", pdfText(r.CustomerEmail))
	}
	row("For", pdfText(r.ServiceName))
	row("On", r.Date.In(time.UTC).Format(receiptDay))
	rule()
	paid := amount.Format(r.Amount, r.Currency)
	if r.FromWallet {
		paid += " from a wallet"
	}
	paid += offlineMethods[r.OfflineMethod]
	row("Paid", paid)
	if r.WalletAmount != nil {
		row("From a wallet", amount.Format(*r.WalletAmount, r.Currency)+", on a receipt of its own")
	}
	if len(r.Refunds) > 0 {
		for _, refund := range r.Refunds[:min(len(r.Refunds), mostRefunds)] {
			row("Refunded", amount.Format(refund.Amount,
				r.Currency)+offlineMethods[refund.OfflineMethod]+" on "+refund.At.Format(receiptDay))
		}
		if more := len(r.Refunds) - mostRefunds; more > 0 {
			row("", fmt.Sprintf("and %d more, in all %s", more, amount.Format(r.Refunded(), r.Currency)))
		}
		rule()
		row("Kept", amount.Format(r.Amount-r.Refunded(), r.Currency))
	}
	var b bytes.Buffer
	if err := pdf.Output(&b); err != nil {
		return nil, fmt.Errorf("make a receipt's PDF: %w", err)
	}
	return b.Bytes(), nil
}

// offlineMethods says on a receipt how offline money moved.
var offlineMethods = map[payment.OfflineMethod]string{
	payment.Cash: " in cash", payment.BankTransfer: " by bank transfer", payment.CardTerminal: " at a card terminal",
}

// pdfText makes a text fit for the page: on one line, without what can't be printed, and not without end. fpdf can't
// write characters beyond the basic plane, such as emoji.
func pdfText(text string) string {
	const basicPlane = 0xFFFF
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r > basicPlane || !unicode.IsPrint(r) || unicode.Is(unicode.Variation_Selector, r):
			return -1
		}
		return r
	}, text)
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > maxPDFText {
		return string(runes[:maxPDFText-1]) + "…"
	}
	return string(runes)
}

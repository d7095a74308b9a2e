package booking

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// Link leads a customer to a booking, and lets whoever has it see, pay, move and cancel that booking alone.
type Link struct {
	TenantID, BookingID uuid.UUID
	// Revision is the booking's LinkRevision when the link was made.
	Revision int
}

// LinkOf returns the link of a tenant's booking.
func LinkOf(tenant uuid.UUID, b Booking) Link {
	return Link{TenantID: tenant, BookingID: b.ID, Revision: b.LinkRevision}
}

// LeadsTo reports whether the link still leads to a booking of its tenant, and wasn't ended since.
func (l Link) LeadsTo(b Booking) bool { return l.BookingID == b.ID && l.Revision == b.LinkRevision }

// ErrLink is returned for a token that Links didn't make.
var ErrLink = errors.New("not the token of a booking's link")

// Links makes and reads the tokens of links. A token names its link and proves that Holdfast made it. It doesn't expire
// by itself: the booking's LinkRevision ends it.
type Links struct {
	key       []byte
	publicURL string
}

// LinksPath is the path below which each link has the page of its booking.
const LinksPath = "/booking/"

// NewLinks returns Links with a secret key of at least 32 bytes (RFC 2104, section 3). All servers need the same key.
// publicURL is where people reach this server.
func NewLinks(key []byte, publicURL string) (*Links, error) {
	if len(key) < sha256.Size {
		return nil, errors.New("the key of the links to bookings has fewer than 32 bytes")
	}
	return &Links{key: slices.Clone(key), publicURL: strings.TrimSuffix(publicURL, "/")}, nil
}

// URL returns the URL that a customer opens.
func (l *Links) URL(link Link) string { return l.publicURL + LinksPath + l.Token(link) }

var tokenEncoding = base64.RawURLEncoding.Strict()

// A token is the signature, the tenant's id, the booking's id and the revision.
const (
	signatureSize = 16 // 128 bits can't be guessed, and a link stays short
	idsSize       = 2 * len(uuid.UUID{})
	namedSize     = idsSize + 4
)

// Token returns the token of a link. It is safe in a URL.
func (l *Links) Token(link Link) string {
	named := binary.BigEndian.AppendUint32(slices.Concat(link.TenantID[:], link.BookingID[:]), uint32(link.Revision))
	return tokenEncoding.EncodeToString(append(l.sign(named), named...))
}

// Parse returns the link of a token, or ErrLink. The time that it takes doesn't depend on how much of a forged
// signature is right.
func (l *Links) Parse(token string) (Link, error) {
	b, err := tokenEncoding.DecodeString(token)
	// The decoder skips line breaks, but a token has one spelling.
	if err != nil || len(b) != signatureSize+namedSize || tokenEncoding.EncodeToString(b) != token {
		return Link{}, ErrLink
	}
	signature, named := b[:signatureSize], b[signatureSize:]
	if !hmac.Equal(signature, l.sign(named)) {
		return Link{}, ErrLink
	}
	return Link{
		TenantID: uuid.UUID(named[:idsSize/2]), BookingID: uuid.UUID(named[idsSize/2 : idsSize]),
		Revision: int(binary.BigEndian.Uint32(named[idsSize:])),
	}, nil
}

// sign returns the signature of what a token names. The prefix keeps it apart from other uses of the same key.
func (l *Links) sign(named []byte) []byte {
	mac := hmac.New(sha256.New, l.key)
	mac.Write([]byte("holdfast/booking-link/1\x00"))
	mac.Write(named)
	return mac.Sum(nil)[:signatureSize]
}

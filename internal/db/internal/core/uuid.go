package core

import (
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgtype"
	pgxuuid "github.com/vgarvardt/pgx-google-uuid/v5"
)

// registerUUID has UUIDs sent and read as sixteen bytes instead of text. pgxuuid does it for values. pgx would send a
// pointer as text, because it is a driver.Valuer, and that after two attempts in binary.
func registerUUID(m *pgtype.Map) {
	pgxuuid.Register(m)
	m.TryWrapEncodePlanFuncs = append([]pgtype.TryWrapEncodePlanFunc{func(value any) (pgtype.WrappedEncodePlanNextSetter, any, bool) {
		_, ok := value.(*uuid.UUID)
		return new(uuidPointerPlan), uuid.UUID{}, ok
	}}, m.TryWrapEncodePlanFuncs...)
}

// uuidPointerPlan encodes what a pointer points to. pgx encodes nil itself.
type uuidPointerPlan struct {
	next pgtype.EncodePlan
}

// SetNext implements pgtype.WrappedEncodePlanNextSetter.
func (p *uuidPointerPlan) SetNext(next pgtype.EncodePlan) { p.next = next }

// Encode implements pgtype.EncodePlan.
func (p *uuidPointerPlan) Encode(value any, buf []byte) ([]byte, error) {
	return p.next.Encode(*value.(*uuid.UUID), buf)
}

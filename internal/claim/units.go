package claim

// UnitRange is the numbered units of a resource from From up to but not including Until.
type UnitRange struct{ From, Until int32 }

// MaxUnits is how many units a resource can have at most.
const MaxUnits = 1000

// AllUnits are what a claim of a whole resource takes, whatever its capacity is or will be.
func AllUnits() []UnitRange { return []UnitRange{{From: 1, Until: MaxUnits + 1}} }

// BlockUnits are numbers beyond those of all units. Each claim of a block has them besides units of its resource, so
// its time counts as full whatever else occupies the resource, and no two blocks take the same time.
func BlockUnits() UnitRange { return UnitRange{From: MaxUnits + 1, Until: 2*MaxUnits + 1} }

// LeavingUnits are what a block of whole dates takes of its first date, up to the night, of a resource that is sold by
// the night: numbers beyond those of all units, but not the first of BlockUnits. To a stay such a time is free: its
// guest may leave on that date. To all else it counts as full, as every time of a block.
func LeavingUnits() UnitRange { return UnitRange{From: MaxUnits + 2, Until: 2*MaxUnits + 2} }

func (u UnitRange) ofBlock() bool { return u.Until > BlockUnits().From }

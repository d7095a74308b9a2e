package lock

// The parameters of 64-bit FNV-1a, and the number that undoes a multiplication by the prime modulo 2^64.
const (
	fnvOffset  uint64 = 0xcbf29ce484222325
	fnvPrime   uint64 = 0x100000001b3
	fnvInverse uint64 = 0xce965057aff6957b
)

// fnv1a goes on hashing text from where a hash of what stands before it ended; fnvOffset begins a new one.
func fnv1a(h uint64, text string) uint64 {
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * fnvPrime
	}
	return h
}

// invert returns where the hash stood before text was hashed: both steps of FNV-1a can be undone.
func invert(h uint64, text string) uint64 {
	for i := len(text) - 1; i >= 0; i-- {
		h = h*fnvInverse ^ uint64(text[i])
	}
	return h
}

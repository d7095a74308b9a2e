package keys

// Try is for those that don't wait.
const Try int64 = 4712

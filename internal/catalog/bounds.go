package catalog

// maxPosition bounds the position of a resource.
const maxPosition = 1_000_000

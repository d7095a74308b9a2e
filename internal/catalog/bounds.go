package catalog

// maxPosition bounds the position of a resource.
const maxPosition = 1_000_000

// Paths of the API at which what was created is found.
const (
	blocksPath    = "/v1/blocks/"
	closuresPath  = "/v1/closures/"
	resourcesPath = "/v1/resources/"
	servicesPath  = "/v1/services/"
)

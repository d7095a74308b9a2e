package frame

import (
	"github.com/google/uuid"

	"holdfast/internal/catalog"
	"holdfast/internal/problem"
)

// MaxCatalog bounds how many services, and how many resources, a page offers.
const MaxCatalog = 500

// Names are the names of a tenant's services and resources by their ids.
type Names map[uuid.UUID]string

// CatalogOf returns a tenant's services and resources, as far as they aren't archived, and their names.
func (c *Console) CatalogOf(v *Visit,
) (services []catalog.BookableService, resources []catalog.Resource, found Names, err error) {
	q := catalog.ListQuery{Limit: MaxCatalog}
	if services, err = c.Catalog.Services(v.Context(), v.Tenant(), q); err != nil {
		return nil, nil, nil, err
	}
	if resources, err = c.Catalog.Resources(v.Context(), v.Tenant(), q); err != nil {
		return nil, nil, nil, err
	}
	found = make(Names, len(services)+len(resources))
	for i := range services {
		found[services[i].ID] = services[i].Name
	}
	for _, r := range resources {
		found[r.ID] = r.Name
	}
	return services, resources, found, nil
}

// AddService adds the name of a service that may be archived.
func (c *Console) AddService(v *Visit, found Names, id uuid.UUID) error {
	if _, known := found[id]; known {
		return nil
	}
	svc, err := c.Catalog.Service(v.Context(), v.Tenant(), id)
	if problem.Is(err, problem.NotFound) {
		return nil
	}
	found[id] = svc.Name
	return err
}

// ResourceName returns the name of a resource, which may be archived. A visit looks the names up once.
func (c *Console) ResourceName(v *Visit, id uuid.UUID) (name string, err error) {
	if v.names == nil {
		if _, _, v.names, err = c.CatalogOf(v); err != nil {
			return "", err
		}
	}
	err = c.AddResource(v, v.names, id)
	return v.names[id], err
}

// AddResource adds the name of a resource that may be archived.
func (c *Console) AddResource(v *Visit, found Names, id uuid.UUID) error {
	if _, known := found[id]; known {
		return nil
	}
	r, err := c.Catalog.Resource(v.Context(), v.Tenant(), id)
	if problem.Is(err, problem.NotFound) {
		return nil
	}
	found[id] = r.Name
	return err
}

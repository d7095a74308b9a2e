package console

import (
	"github.com/google/uuid"

	"holdfast/internal/catalog"
	"holdfast/internal/problem"
)

// maxCatalog bounds how many services, and how many resources, a page offers.
const maxCatalog = 500

// names are the names of a tenant's services and resources by their ids.
type names map[uuid.UUID]string

// catalogOf returns a tenant's services and resources, as far as they aren't archived, and their names.
func (c *Console) catalogOf(v *visit) (services []catalog.BookableService, resources []catalog.Resource, found names, err error) {
	q := catalog.ListQuery{Limit: maxCatalog}
	if services, err = c.Catalog.Services(v.ctx(), v.tenant(), q); err != nil {
		return nil, nil, nil, err
	}
	if resources, err = c.Catalog.Resources(v.ctx(), v.tenant(), q); err != nil {
		return nil, nil, nil, err
	}
	found = make(names, len(services)+len(resources))
	for i := range services {
		found[services[i].ID] = services[i].Name
	}
	for _, r := range resources {
		found[r.ID] = r.Name
	}
	return services, resources, found, nil
}

// addService adds the name of a service that may be archived.
func (c *Console) addService(v *visit, found names, id uuid.UUID) error {
	if _, known := found[id]; known {
		return nil
	}
	svc, err := c.Catalog.Service(v.ctx(), v.tenant(), id)
	if problem.Is(err, problem.NotFound) {
		return nil
	}
	found[id] = svc.Name
	return err
}

// resourceName returns the name of a resource, which may be archived. A visit looks the names up once.
func (c *Console) resourceName(v *visit, id uuid.UUID) (name string, err error) {
	if v.names == nil {
		if _, _, v.names, err = c.catalogOf(v); err != nil {
			return "", err
		}
	}
	err = c.addResource(v, v.names, id)
	return v.names[id], err
}

// resourcesToChoose are the resources of a form, also those that are archived and chosen already.
func (c *Console) resourcesToChoose(v *visit, chosen ...uuid.UUID) ([]catalog.Resource, error) {
	_, resources, known, err := c.catalogOf(v)
	if err != nil {
		return nil, err
	}
	for _, id := range chosen {
		if _, listed := known[id]; listed {
			continue
		}
		r, err := c.Catalog.Resource(v.ctx(), v.tenant(), id)
		if err != nil {
			return nil, err
		}
		resources = append(resources, r)
	}
	return resources, nil
}

// addResource adds the name of a resource that may be archived.
func (c *Console) addResource(v *visit, found names, id uuid.UUID) error {
	if _, known := found[id]; known {
		return nil
	}
	r, err := c.Catalog.Resource(v.ctx(), v.tenant(), id)
	if problem.Is(err, problem.NotFound) {
		return nil
	}
	found[id] = r.Name
	return err
}

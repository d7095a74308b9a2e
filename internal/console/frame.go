package console

import (
	"github.com/gin-gonic/gin"

	"holdfast/internal/httpapi/admission"
	"holdfast/internal/usecase"
	"holdfast/internal/web"
)

// Console has the pages of the tenants of one database. It is safe for concurrent use.
type Console struct {
	usecase.All

	admission  *admission.Admission
	publicURL  string
	sendsEmail bool
	oidc       *oidcClient // nil without a provider
	checkBody  web.CheckBody
	policy     web.Policy
	of         *gin.RouterGroup // of a tenant's console
}

package webhook

// BeginProbe is what a delivery asks before it is sent to an endpoint whose circuit was open when the delivery was loaded.
var BeginProbe = (*Service).beginProbe

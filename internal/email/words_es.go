package email

import "holdfast/internal/amount"

var spanish = words{
	code:     "es",
	weekdays: [7]string{"domingo", "lunes", "martes", "miércoles", "jueves", "viernes", "sábado"},
	months: [12]string{
		"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre",
		"diciembre",
	},
	date:   "%[1]s, %[2]d de %[3]s de %[4]d",
	to:     "a",
	amount: amount.Style{Decimal: ",", Thousands: "."},
	methods: map[Method]string{
		MethodCard: "tarjeta", MethodCredit: "crédito", MethodCardAndCredit: "tarjeta y crédito",
		MethodCash:     "efectivo",
		MethodTransfer: "transferencia bancaria", MethodTerminal: "terminal de tarjeta",
	},
	refundedTo: map[Method]string{
		MethodCard: "a la tarjeta o cuenta con la que pagó", MethodCredit: "como crédito con nosotros",
		MethodCardAndCredit: "a su tarjeta o cuenta y como crédito con nosotros", MethodCash: "en efectivo",
		MethodTransfer: "por transferencia", MethodTerminal: "a su tarjeta",
	},
	hello:           "Hola, {{customer_name}}:",
	people:          "Personas",
	price:           "Precio",
	due:             "Pendiente de pago",
	paid:            "Pagado",
	refunded:        "Reembolsado",
	overpaid:        "Pagado de más",
	surplus:         "Ha pagado {{amount_overpaid}} más de lo que cuesta ahora. Pregúntenos cómo recuperarlo.",
	reference:       "Referencia",
	booking:         "Su reserva",
	lookForward:     "Le esperamos.",
	thanks:          "Gracias.",
	unsubscribe:     "Para no recibir más correos como este",
	unsubscribeLink: "Darse de baja",
	emails: map[Kind]opening{
		BookingHeld: {
			"Le guardamos su reserva: {{service_name}}, {{date}}",
			"Se lo guardamos hasta {{hold_expires_at}}. Por favor, confírmelo antes.",
		},
		BookingConfirmed: {"Su reserva está confirmada: {{service_name}}, {{date}}",
			"Gracias. Su reserva está confirmada."},
		BookingRescheduled: {
			"Su reserva tiene nueva fecha: {{service_name}}, {{date}}",
			"Su reserva se ha cambiado. Esta es la nueva fecha:",
		},
		BookingCancelled: {"Su reserva está cancelada: {{service_name}}, {{date}}", "Su reserva se ha cancelado."},
		BookingWithdrawn: {
			"Ya no es su reserva: {{service_name}}, {{date}}",
			"Esta reserva ya no está a su nombre y se quita de su calendario.",
		},
		BookingReminder: {"Hasta pronto: {{service_name}}, {{date}}", "Le recordamos su reserva."},
		BookingFollowUp: {
			"Gracias por su visita",
			"Gracias por su visita del {{date}}. Esperamos que le haya gustado: {{service_name}}.\n\n" +
				"Si quiere decirnos algo, responda a este correo.",
		},
		BookingAnniversary: {
			"¿Se acuerda? {{service_name}}, {{date}}",
			"El {{date}} estuvo con nosotros: {{service_name}}. Nos encantaría volver a verle.",
		},
		CustomerBirthday: {"¡Feliz cumpleaños, {{customer_name}}!", "¡Feliz cumpleaños! Le deseamos un día estupendo."},
		PaymentBalanceDue: {
			"Pendiente de pago: {{amount_due}} por {{service_name}}, {{date}}",
			"Quedan {{amount_due}} por pagar de su reserva.",
		},
		PaymentSucceeded: {
			"Su pago: {{payment_amount}} por {{service_name}}, {{date}}",
			"Gracias. Hemos recibido su pago de {{payment_amount}}{{#payment_method}} ({{payment_method}}){{/payment_method}}.",
		},
		PaymentDeclined: {
			"Su pago ha sido rechazado: {{service_name}}, {{date}}",
			"Su pago de {{payment_amount}} ha sido rechazado. Inténtelo de nuevo, si hace falta con otra tarjeta.",
		},
		PaymentRefunded: {
			"Su reembolso: {{payment_amount}} por {{service_name}}, {{date}}",
			"Le hemos devuelto {{payment_amount}}{{#refunded_to}} {{refunded_to}}{{/refunded_to}}.",
		},
	},
}

// Generated from docs/openapi.json by `make generate/clients`. Don't edit it.

export interface paths {
    "/v1/bookings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List bookings by date, and on a date in the order in which they were made
         * @description Filters combine. With payment_state and overpaid a page can be short, or empty, although more follows: next_cursor tells.
         *
         *     Needs the scope `read`.
         */
        get: operations["list-bookings"];
        put?: never;
        /**
         * Book, or hold, a date, a slot or a stay
         * @description Either the booking is made and nobody else can have the same units at the same time, or nothing is written. A customer is known by email. The booking keeps the name, email, phone, time_zone and language that are given for it. The phone, time_zone and birthday are filled in where they aren't known of the customer, in the same commit as the booking; with update_customer they and the name replace what is known. A retry with the same Idempotency-Key changes nothing. A hold may be made without a customer, who is then given when it is confirmed.
         *
         *     Needs the scope `book`.
         */
        post: operations["create-booking"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bookings/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a booking
         * @description Needs the scope `read`.
         */
        get: operations["get-booking"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a booking: time, service, resource, party, price, customer, references, metadata; confirm or extend a hold
         * @description A JSON Merge Patch (RFC 7396): what isn't given stays as it is, null removes, and objects are merged. All of it changes in one commit, or nothing: if one part is refused, so is the request. Each part has the rules of its own route: where the booking goes those of POST …/reschedule, hold_minutes those of POST …/extend, status those of POST …/confirm. Without service_id, resource_id, resource_ids, any_resource, date, starts_at, duration, check_in, check_out, party, party_size and price quote, time and price stay. Another email gets what is still to be sent of the booking, and the former one the withdrawal of its calendar entry. A change to what is already so keeps the version. The events are those of the parts, one after the other, each with a version of its own: booking.rescheduled, booking.overpaid, booking.updated, booking.confirmed. The answer has the last one's.
         *
         *     Needs the scope `book`.
         */
        patch: operations["update-booking"];
        trace?: never;
    };
    "/v1/bookings/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a hold or a booking and free its time
         * @description The cancellation policy of the booking, which a later change of the service doesn't change, decides what is kept or due of a confirmed booking's price, at the moment of the cancellation. What was paid beyond it is refunded automatically. Without a policy nothing is refunded by itself. A hold is always refunded whole. With fee, of a booking with a policy or without one, that is kept or due, and what was paid beyond it is refunded automatically.
         *
         *     Needs the scope `book`.
         */
        post: operations["cancel-booking"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bookings/{id}/cancellation-quote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what a cancellation would cost now
         * @description Needs the scope `read`.
         */
        get: operations["get-cancellation-quote"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bookings/{id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record that a booking took place
         * @description Needs the scope `book`.
         */
        post: operations["complete-booking"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bookings/{id}/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm a hold
         * @description A hold without a customer gets one here. A hold that has expired is refused with hold_expired. With if_still_free it is confirmed if its resource is still free and open at its time and the service takes bookings on its date, by the rules as they are now; the lead time and the booking window don't count. Otherwise the answer is slot_unavailable. What else PATCH /v1/bookings/{id} takes may change in the same commit; a hold that has expired can't be moved or extended.
         *
         *     Needs the scope `book`.
         */
        post: operations["confirm-booking"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bookings/{id}/extend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Extend a hold before it expires
         * @description The hold lasts for hold_minutes from now. A hold that lasts longer already stays as it is, and keeps its version. In all a hold lasts at most 7 days from when it was made.
         *
         *     Needs the scope `book`.
         */
        post: operations["extend-booking"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bookings/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who changed a booking, when, and what
         * @description The oldest entry comes first. Each has a version of its own. Entries are kept for HOLDFAST_CHANGE_RETENTION, 400 days by default.
         *
         *     Needs the scope `read`.
         */
        get: operations["list-booking-history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bookings/{id}/link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the link that leads a customer to a booking
         * @description Whoever has the link can see, pay, move and cancel that booking, as far as the tenant's booking_page allows it. Give it to the customer alone. Emails have it as {{manage_url}}. It works until PATCH /v1/bookings/{id} with new_link, or another email. 409 invalid_state: the tenant has no booking page.
         *
         *     Needs the scope `book`.
         */
        get: operations["get-booking-link"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bookings/{id}/no-show": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record that nobody came
         * @description What is kept or due is what the cancellation policy says, or else the price. With fee that is kept or due instead. What was paid beyond it is refunded automatically.
         *
         *     Needs the scope `book`.
         */
        post: operations["no-show-booking"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bookings/{id}/reschedule": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a hold or a booking to another time, resource or service
         * @description What isn't given stays. The end, but for stays and several durations, and the buffers are those of the service as it is now. Either the booking has its new time and its old time is free, or nothing is written. The new time is judged by the rules of new bookings; the booking itself is never in its way. A hold keeps its expiry. Reminders and emails follow. A request for what is already so keeps the version. If more was paid than the new price, due is 0 and overpaid is the surplus, which POST /v1/bookings/{id}/refunds returns. The event booking.overpaid then tells of it, with a version of its own: that of the answer.
         *
         *     Needs the scope `book`.
         */
        post: operations["reschedule-booking"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/quotes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * See what a booking, or a move of one, would cost
         * @description Nothing is made, and no Idempotency-Key is needed. The answer has what the booking would have if it were made now: its price, item by item, its deposit and its cancellation policy. With booking_id, it is about a move of that booking, and before has the money as it is. It takes no lock: what is available may be taken a moment later, and only a booking decides. What is taken, closed, too soon or too late has a price all the same; available is then false, and reason has the code and the detail of the refusal. What has no price is refused as the booking would be.
         *
         *     Needs the scope `catalog`.
         */
        post: operations["quote-booking"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/holds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hold a date, a slot or a stay, as a visitor of a website
         * @description Nobody else can have the same units while the hold lasts. Then pay for it, if its service has a deposit, and confirm it. The id is all that is needed to go on with the hold. What is given of the customer stays with this booking; of a customer who is known it changes nothing. With a publishable key it takes no more than limits of the tenant's website.
         *
         *     Needs the scope `hold`.
         */
        post: operations["create-hold"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/holds/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a hold, and what became of it
         * @description 404 for a booking that wasn't made by POST /v1/holds, and an hour after the hold was confirmed or ended.
         *
         *     Needs the scope `hold`.
         */
        get: operations["get-hold"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/holds/{id}/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Confirm a hold
         * @description 409 deposit_due: the deposit must be paid first. A service may say that the payment of the deposit confirms its holds; then there is nothing left to confirm.
         *
         *     Needs the scope `hold`.
         */
        post: operations["confirm-hold"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/holds/{id}/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pay a hold's deposit, or all of its price
         * @description However often it is repeated with one key, money is taken once. 402 says that none was taken; decline_code says why, and try_again whether the same payment method may work later. 202: the visitor has to act, at action_url or with client_secret, or the provider hasn't decided yet. Then read the payment.
         *
         *     Needs the scope `hold`.
         */
        post: operations["pay-hold"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/holds/{id}/payments/{payment_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a payment for a hold
         * @description Needs the scope `hold`.
         */
        get: operations["get-hold-payment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/holds/{id}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a hold back
         * @description Its time is free at once. What was paid is refunded automatically. 409 invalid_state: it is confirmed, and only the tenant can cancel it.
         *
         *     Needs the scope `hold`.
         */
        post: operations["release-hold"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payment-options": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how visitors can pay
         * @description What a page must know before it makes a payment method, and whether payments are taken at all: ask before you offer what has a deposit.
         *
         *     Needs the scope `hold`.
         */
        get: operations["get-payment-options"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/availability": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See what is free of several services, or of a resource
         * @description Of each service it tells what GET /v1/services/{id}/availability tells: of a slot service for its shortest duration, of a stay for the fewest nights that are sold from each date. A page has up to 10 services, and in all as many slots as a page of one service. A service that doesn't exist is named when its page is asked for. Ask for either service_ids or resource_id. It takes no lock.
         *
         *     Needs the scope `catalog`.
         */
        get: operations["get-services-availability"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/services": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List services
         * @description Needs the scope `catalog`.
         */
        get: operations["list-services"];
        put?: never;
        /**
         * Define what is sold
         * @description Needs the scope `admin`.
         */
        post: operations["create-service"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/services/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a service
         * @description Needs the scope `catalog`.
         */
        get: operations["get-service"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a service
         * @description A JSON Merge Patch (RFC 7396): what isn't given stays as it is, null removes, and objects are merged. Bookings stay as they are, with their price. A change to what is already so keeps the version.
         *
         *     Needs the scope `admin`.
         */
        patch: operations["change-service"];
        trace?: never;
    };
    "/v1/services/{id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take no new bookings of a service
         * @description It is in no availability and in no list without archived=true. Bookings stay and can be changed, paid and refunded. While it has bookings that aren't over, it is refused with 409 bookings_in_the_way unless force is true.
         *
         *     Needs the scope `admin`.
         */
        post: operations["archive-service"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/services/{id}/availability": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See what is free
         * @description It takes no lock: what is free here may be taken a moment later, and only a booking decides. A page has up to 36,000 slots, each counted once and once more for each resource that has a slot then; next_cursor continues it. Pages are as of different moments.
         *
         *     Needs the scope `catalog`.
         */
        get: operations["get-availability"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/services/{id}/conflicts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the bookings of a service that no longer fit
         * @description The held and confirmed bookings that aren't over and that don't fit the resources, services, hours, closures and blocks as they are now, by date. The list is computed anew with each request. A page may be short, or empty, and still have a next_cursor.
         *
         *     Needs the scope `read`.
         */
        get: operations["list-service-conflicts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/services/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who changed a service, when, and what
         * @description The oldest entry comes first. Each has a version of its own. Entries are kept for HOLDFAST_CHANGE_RETENTION, 400 days by default.
         *
         *     Needs the scope `read`.
         */
        get: operations["list-service-history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/services/{id}/unarchive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take bookings of an archived service again
         * @description Needs the scope `admin`.
         */
        post: operations["unarchive-service"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List resources
         * @description Needs the scope `catalog`.
         */
        get: operations["list-resources"];
        put?: never;
        /**
         * Add a room, person or boat
         * @description Needs the scope `admin`.
         */
        post: operations["create-resource"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resources/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a resource with its hours
         * @description Needs the scope `catalog`.
         */
        get: operations["get-resource"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a resource
         * @description A JSON Merge Patch (RFC 7396): what isn't given stays as it is, null removes, and objects are merged. A change to what is already so keeps the version.
         *
         *     Needs the scope `admin`.
         */
        patch: operations["change-resource"];
        trace?: never;
    };
    "/v1/resources/{id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take no new bookings of a resource
         * @description It is in no availability and in no list without archived=true. Bookings stay and can be changed, paid and refunded. While it has bookings that aren't over, it is refused with 409 bookings_in_the_way unless force is true.
         *
         *     Needs the scope `admin`.
         */
        post: operations["archive-resource"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resources/{id}/conflicts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the bookings of a resource that no longer fit
         * @description The held and confirmed bookings that aren't over and that don't fit the resources, services, hours, closures and blocks as they are now, by date. The list is computed anew with each request. A page may be short, or empty, and still have a next_cursor.
         *
         *     Needs the scope `read`.
         */
        get: operations["list-resource-conflicts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resources/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who changed a resource, when, and what
         * @description The oldest entry comes first. Each has a version of its own. Entries are kept for HOLDFAST_CHANGE_RETENTION, 400 days by default.
         *
         *     Needs the scope `read`.
         */
        get: operations["list-resource-history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resources/{id}/hours": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace a resource's hours
         * @description A resource follows the tenant's hours until it gets hours of its own: `{"weekly": []}` closes it, `{"always_open": true}` opens it for good, whatever the tenant's hours are, and `{"inherited": true}` has it follow the tenant's again. Then it may have `overrides`, which come before all of the tenant's hours, and no `seasons`. `seasons` have weekly hours of their own for parts of the year; overrides come first, then the first season that has the date. Hours may go over midnight, such as 22:00 to 02:00, and belong to the date on which they begin: an override or a closure of that date removes them to their end, and the overrides of the next date leave them as they are. A closure of the next date ends them at midnight. A slot after midnight is counted from the opening on the evening before, and has the date of its own start. A date service asks only whether hours begin on the date. Bookings that were made by the old hours stay.
         *
         *     Needs the scope `admin`.
         */
        put: operations["set-hours"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/resources/{id}/unarchive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take bookings of an archived resource again
         * @description Needs the scope `admin`.
         */
        post: operations["unarchive-resource"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/closures": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List closures
         * @description Needs the scope `read`.
         */
        get: operations["list-closures"];
        put?: never;
        /**
         * Close dates
         * @description Bookings that were made before stay.
         *
         *     Needs the scope `admin`.
         */
        post: operations["create-closure"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/closures/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a closure
         * @description Needs the scope `read`.
         */
        get: operations["get-closure"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a closure
         * @description A JSON Merge Patch (RFC 7396): what isn't given stays as it is, null removes, and objects are merged. Bookings that were made before stay. A change to what is already so keeps the version.
         *
         *     Needs the scope `admin`.
         */
        patch: operations["change-closure"];
        trace?: never;
    };
    "/v1/closures/{id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open closed dates again
         * @description The closure closes nothing any more, and is in no list without archived=true.
         *
         *     Needs the scope `admin`.
         */
        post: operations["archive-closure"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/closures/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who changed a closure, when, and what
         * @description The oldest entry comes first. Each has a version of its own. Entries are kept for HOLDFAST_CHANGE_RETENTION, 400 days by default.
         *
         *     Needs the scope `read`.
         */
        get: operations["list-closure-history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/closures/{id}/unarchive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Close the dates of an archived closure again
         * @description Bookings that were made before stay.
         *
         *     Needs the scope `admin`.
         */
        post: operations["unarchive-closure"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/blocks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List blocks
         * @description Needs the scope `read`.
         */
        get: operations["list-blocks"];
        put?: never;
        /**
         * Take time of a resource without a booking
         * @description All units of the resource are taken. Where bookings stand in the way it is refused with 409 bookings_in_the_way, unless force is true: then they stay, and nobody else gets the time, also once they have left. Where another block of the resource stands it is refused with 409 block_in_the_way.
         *
         *     Needs the scope `admin`.
         */
        post: operations["create-block"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/blocks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a block with its times
         * @description Needs the scope `read`.
         */
        get: operations["get-block"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a block
         * @description A JSON Merge Patch (RFC 7396): what isn't given stays as it is, null removes, and objects are merged. A block that gets another time or resource is judged like a new one. A change to what is already so keeps the version.
         *
         *     Needs the scope `admin`.
         */
        patch: operations["change-block"];
        trace?: never;
    };
    "/v1/blocks/{id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Free what a block takes
         * @description The block takes nothing any more, and is in no list without archived=true.
         *
         *     Needs the scope `admin`.
         */
        post: operations["archive-block"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/blocks/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who changed a block, when, and what
         * @description The oldest entry comes first. Each has a version of its own. Entries are kept for HOLDFAST_CHANGE_RETENTION, 400 days by default.
         *
         *     Needs the scope `read`.
         */
        get: operations["list-block-history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/blocks/{id}/unarchive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take the time of an archived block again
         * @description It is judged like a new block.
         *
         *     Needs the scope `admin`.
         */
        post: operations["unarchive-block"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/customers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List customers, or find some
         * @description By id. Customers who were erased or merged aren't listed; each can be read by its id.
         *
         *     Needs the scope `read`.
         */
        get: operations["list-customers"];
        put?: never;
        /**
         * Make a customer
         * @description A booking makes its customer too. Another customer with this email is refused with already_exists.
         *
         *     Needs the scope `book`.
         */
        post: operations["create-customer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/customers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a customer
         * @description GET /v1/bookings?customer_id= lists the customer's bookings, GET /v1/wallets?customer_id= the wallets.
         *
         *     Needs the scope `read`.
         */
        get: operations["get-customer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a customer
         * @description A JSON Merge Patch (RFC 7396): what isn't given stays as it is, null removes, and objects are merged. Bookings keep the contact that was given for them. A change to what is already so keeps the version.
         *
         *     Needs the scope `customers`.
         */
        patch: operations["change-customer"];
        trace?: never;
    };
    "/v1/customers/{id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Leave a customer out of lists
         * @description The customer is in no list without archived=true. Nothing else changes: bookings go on, greetings are sent, and new bookings with the email are the customer's.
         *
         *     Needs the scope `book`.
         */
        post: operations["archive-customer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/customers/{id}/erase": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Erase a customer's personal data
         * @description Name, email and all else that tells who the customer is go from the customer, its bookings, the events, histories, stored responses and recorded deliveries. Money, dates and ids stay. It can't be undone.
         *
         *     Needs the scope `admin`.
         */
        post: operations["erase-customer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/customers/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export what is stored of a customer
         * @description One JSON document for the person: the customer with bookings, payments, wallets, scheduled events and history, of each at most 1,000 rows, as they were at one moment. Of an erased customer it shows what is left.
         *
         *     Needs the scope `admin`.
         */
        get: operations["export-customer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/customers/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List who changed a customer, when, and what
         * @description The oldest entry comes first. Each has a version of its own. Entries are kept for HOLDFAST_CHANGE_RETENTION, 400 days by default.
         *
         *     Needs the scope `read`.
         */
        get: operations["list-customer-history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/customers/{id}/merge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Merge a customer into another one
         * @description The other customer gets the bookings, the wallets, and the phone, time zone and birthday that it lacks, and is the response. This one stays as an id with merged_into. It can't be undone. If-Match means the customer of the path; the answer, with its ETag, is the other one.
         *
         *     Needs the scope `admin`.
         */
        post: operations["merge-customer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/customers/{id}/unarchive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List an archived customer again
         * @description Needs the scope `book`.
         */
        post: operations["unarchive-customer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bookings/{id}/balance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what was paid for a booking and what is due
         * @description Needs the scope `read`.
         */
        get: operations["get-balance"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bookings/{id}/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a booking's payments and refunds
         * @description Needs the scope `read`.
         */
        get: operations["list-payments"];
        put?: never;
        /**
         * Take a booking's deposit, its balance, or an amount
         * @description However often it is repeated with one key, money is taken once. 402 says that none was taken; decline_code says why, and try_again whether the same payment method may work later. With checkout the answer is 202, and action_url the provider's page: send the customer there. The payment is processing until the customer has paid; the page ends at cancel_at. A wallet's part beside a payment method is held until the payment's end is known. Then it becomes a payment of its own, or can be spent again. 422 insufficient_funds is final for its key: the wallet has too little, and nothing else pays the rest. With offline you say that you have the money, and no provider is asked. If-Match names the ETag of the booking.
         *
         *     Needs the scope `money`.
         */
        post: operations["create-payment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bookings/{id}/refunds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Return what a booking is overpaid by
         * @description Out of the latest payment of which something is left, and at most that. If overpaid of the balance isn't 0 afterwards, ask again with a new key: the payment before comes next. 409 invalid_state: the booking isn't overpaid, or what is left of its payments was received offline.
         *
         *     Needs the scope `money`.
         */
        post: operations["refund-overpaid"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payment-account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read where payments go, and what the business's account can do
         * @description What is known of the account is asked again of the provider if it is older than a minute, or than an hour once the account can do everything. The provider's webhooks tell of changes too.
         *
         *     Needs the scope `read`.
         */
        get: operations["get-payment-account"];
        put?: never;
        /**
         * Make the business's own account at the payment provider
         * @description From then on payments go to this account and no longer to the platform's, and are refused with payment_account_not_ready until the provider has what it wants to know: send the business to an onboarding link. Payments that were made before stay where they are. 409 already_exists: there is an account.
         *
         *     Needs the scope `admin`.
         */
        post: operations["create-payment-account"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payment-account/onboarding-link": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get the link on which the business tells the provider what it must know
         * @description The link is short-lived and for one use, and is stored nowhere: ask for one when the business is about to go there.
         *
         *     Needs the scope `admin`.
         */
        post: operations["create-onboarding-link"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List payments and refunds
         * @description In the order in which they succeeded or were declined: updated_at is when. Filters combine. An open payment stands where it changed last, and moves to the end of the list when it changes again.
         *
         *     Needs the scope `money`.
         */
        get: operations["list-all-payments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List payments and refunds as CSV
         * @description As the list, a line for each, for accounting: without status only those that succeeded. amount is that of the list: above zero, for a refund too. net_amount is what the tenant's money grew by: less than zero for a refund, and zero for what hasn't succeeded. With another page, the header Link names it with rel="next".
         *
         *     Needs the scope `money`.
         */
        get: operations["list-all-payments-csv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/offline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Add up offline money by day and method
         * @description For counting a till: what was received and what was handed back on each date, by when it happened and not by when it was recorded. An open refund isn't in it.
         *
         *     Needs the scope `money`.
         */
        get: operations["sum-offline-payments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a payment or refund
         * @description Needs the scope `read`.
         */
        get: operations["get-payment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End a payment that has no end yet
         * @description For a customer who doesn't come back from the provider's or the bank's page: the payment is cancelled at the provider, so that it can't succeed any more, and the booking is free for another one. 200: it is declined with decline_code cancelled. 202: it can't be ended yet, and will be as soon as possible, unless it succeeds first. 409: it has another end. Refund it if it has succeeded.
         *
         *     Needs the scope `money`.
         */
        post: operations["cancel-payment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say that the money of an open offline refund was handed back
         * @description A booking that ended leaves such a refund where Holdfast would have refunded a card: it is processing until you have handed all of its amount back. 409 invalid_state: it is complete, or no offline refund. If-Match names the ETag of the booking.
         *
         *     Needs the scope `money`.
         */
        post: operations["complete-refund"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{id}/receipt": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a payment's receipt
         * @description Of a payment that succeeded; 409 otherwise.
         *
         *     Needs the scope `read`.
         */
        get: operations["get-receipt"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{id}/receipt.pdf": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a payment's receipt as a PDF
         * @description Of a payment that succeeded; 409 otherwise.
         *
         *     Needs the scope `read`.
         */
        get: operations["get-receipt-pdf"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/payments/{id}/refunds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Return a payment, whole or in part
         * @description If the booking is overpaid, that comes back first. What is returned beyond it lowers what the booking owes, so that it isn't asked for again; with owed_again it is due again. offline says that you have handed the money back, and how: always of a payment that was received offline, and of another one if it can't go back the way it came. If-Match names the ETag of the booking.
         *
         *     Needs the scope `money`.
         */
        post: operations["create-refund"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/reconciliation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare your payments with the payment provider
         * @description Each payment and refund of these dates is compared with the journals of all configured providers. It changes nothing. It asks the providers, and may take 45 seconds. If a provider can't be asked, the answer is 503 provider_unavailable. offline has your money that no provider sees, by date and method, as GET /v1/payments/offline.
         *
         *     Needs the scope `money`.
         */
        get: operations["reconcile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/transfers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move credit from one wallet to another
         * @description Credit that expires keeps its time. If-Match names the ETag of the wallet from.
         *
         *     Needs the scope `money`.
         */
        post: operations["transfer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/wallets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List wallets
         * @description Needs the scope `read`.
         */
        get: operations["list-wallets"];
        put?: never;
        /**
         * Make a wallet of a customer, or a gift card
         * @description A customer has one wallet in a currency, and perhaps more after a merge. A wallet without a customer has a code, which is shown in this response only: a repeated request is answered without it.
         *
         *     Needs the scope `money`.
         */
        post: operations["create-wallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/wallets/lookup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Find the wallet of a code
         * @description Wrong codes are limited: after 20 of them, one in six seconds may be tried.
         *
         *     Needs the scope `money`.
         */
        post: operations["look-up-wallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/wallets/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a wallet, now or as it was at a time
         * @description Credit that has expired is left out.
         *
         *     Needs the scope `read`.
         */
        get: operations["get-wallet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/wallets/{id}/credits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add credit to a wallet
         * @description Needs the scope `money`.
         */
        post: operations["credit-wallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/wallets/{id}/debits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Spend credit of a wallet
         * @description Credit that expires soonest is spent first. 422 insufficient_funds is final for its key.
         *
         *     Needs the scope `money`.
         */
        post: operations["debit-wallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/wallets/{id}/entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the entries of a wallet
         * @description The oldest come first. Each has the balance after it.
         *
         *     Needs the scope `read`.
         */
        get: operations["list-wallet-entries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/wallets/{id}/entries.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the entries of a wallet as CSV
         * @description As the list, a line for each entry. With another page, the header Link names it with rel="next".
         *
         *     Needs the scope `read`.
         */
        get: operations["list-wallet-entries-csv"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/wallets/{id}/holds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hold an amount of a wallet
         * @description It can't be spent otherwise and doesn't expire until the hold is captured or released. entry.hold_id names the hold.
         *
         *     Needs the scope `money`.
         */
        post: operations["hold-wallet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/wallets/{id}/holds/{hold_id}/capture": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Spend a hold, whole or in part
         * @description Needs the scope `money`.
         */
        post: operations["capture-wallet-hold"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/wallets/{id}/holds/{hold_id}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Release a hold
         * @description Needs the scope `money`.
         */
        post: operations["release-wallet-hold"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/wallets/{id}/rotate-code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a gift card another code
         * @description The former code finds the wallet no more.
         *
         *     Needs the scope `money`.
         */
        post: operations["rotate-wallet-code"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what happened
         * @description What happened, in order: each change of a booking, of its money or of a customer is one event. No event is missed and none comes twice, also while changes are made. An event comes when every transaction that began to write before its own has ended; normally that is at once. The events of a subject come in the order of their sequence. A page always has a next_cursor. Events are kept for HOLDFAST_CHANGE_RETENTION, 400 days by default; an older cursor gets 410 cursor_expired.
         *
         *     A request that prefers Accept: text/event-stream to JSON gets a stream of server-sent events, which goes on with what happens from now on. Its lines are id, the cursor after the event; event, the type; data, the event as in a page. Reconnect with Last-Event-ID. The stream ends after an hour at the latest, when the server stops, and when the API key is revoked.
         *
         *     Needs the scope `read`.
         */
        get: operations["list-events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bookings/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a booking's last 20 changes
         * @description To all webhook endpoints, the newest change first. There is one page.
         *
         *     Needs the scope `read`.
         */
        get: operations["list-booking-deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deliveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a delivery with its attempts
         * @description Needs the scope `read`.
         */
        get: operations["get-delivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/deliveries/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a delivery again
         * @description It is due at once and has all its attempts. The receiver gets the same webhook-id.
         *
         *     Needs the scope `admin`.
         */
        post: operations["replay-delivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook endpoints
         * @description Needs the scope `read`.
         */
        get: operations["list-webhook-endpoints"];
        put?: never;
        /**
         * Add a webhook endpoint
         * @description Events that occur from now on are delivered to the URL: those of the tenant, or, to the operator, those of all tenants, with tenant_id. There are at most 20 endpoints.
         *
         *     Needs the scope `admin`.
         */
        post: operations["create-webhook-endpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a webhook endpoint
         * @description Needs the scope `read`.
         */
        get: operations["get-webhook-endpoint"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook endpoint
         * @description Each planned delivery to it is cancelled when it is due.
         *
         *     Needs the scope `admin`.
         */
        delete: operations["delete-webhook-endpoint"];
        options?: never;
        head?: never;
        /**
         * Change a webhook endpoint
         * @description A JSON Merge Patch (RFC 7396): what isn't given stays as it is, null removes, and objects are merged. A change to what is already so keeps the version.
         *
         *     Needs the scope `admin`.
         */
        patch: operations["change-webhook-endpoint"];
        trace?: never;
    };
    "/v1/webhook-endpoints/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries to a webhook endpoint
         * @description The newest events come first.
         *
         *     Needs the scope `read`.
         */
        get: operations["list-deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{id}/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event to a webhook endpoint
         * @description An event of the type webhook.ping is delivered to this endpoint alone, with one attempt. Read the delivery to see what came of it.
         *
         *     Needs the scope `admin`.
         */
        post: operations["ping-webhook-endpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver a range of events to a webhook endpoint again
         * @description All events of the range that have the endpoint's types are delivered, also those that occurred before it existed or while it was disabled. At most 10000 at once.
         *
         *     Needs the scope `admin`.
         */
        post: operations["replay-webhook-events"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the secret of a webhook endpoint
         * @description The former secret signs too for 24 hours.
         *
         *     Needs the scope `admin`.
         */
        post: operations["rotate-webhook-secret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/scheduled-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what happens at a time
         * @description In the order in which events are due; the events of one subject in the order of their kinds. Filters combine. A page of a filtered list can be short, or empty, although more follows: next_cursor tells. Messages are planned 48 hours ahead; with subject, the list also says which will follow.
         *
         *     Needs the scope `read`.
         */
        get: operations["list-scheduled-events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/scheduled-events/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a scheduled event with its newest attempts
         * @description Needs the scope `read`.
         */
        get: operations["get-scheduled-event"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/scheduled-events/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a scheduled event
         * @description An event that is pending, processing, failed or dead. The worker of an event that is processing can't record a result any more, but may have acted. It isn't planned again. Events of the kinds booking.hold_expiry, payment.resolution, payment.ended_booking, wallet.credit_expiry, message.plan and message.plan_ahead can't be cancelled: without them a hold, a payment or expired credit would never end, or messages would not be planned.
         *
         *     Needs the scope `admin`.
         */
        post: operations["cancel-scheduled-event"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/scheduled-events/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Do a scheduled event again, now
         * @description An event that is dead, cancelled, completed or failed becomes pending, is due now, and has all of its attempts again, but not a greeting that is completed: nobody is greeted twice in a year. When it no longer makes sense, such as a reminder of a cancelled booking, it is cancelled again and last_error says why.
         *
         *     Needs the scope `admin`.
         */
        post: operations["replay-scheduled-event"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenant": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what the tenant sends to its customers, and when
         * @description Needs the scope `read`.
         */
        get: operations["get-tenant"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change what the tenant sends to its customers, and when
         * @description A JSON Merge Patch (RFC 7396): what isn't given stays as it is, null removes, and objects are merged. A change to what is already so keeps the version. It holds for bookings and customers that exist.
         *
         *     Needs the scope `admin`.
         */
        patch: operations["change-tenant"];
        trace?: never;
    };
    "/v1/tenant/conflicts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the bookings of a tenant that no longer fit
         * @description The held and confirmed bookings that aren't over and that don't fit the resources, services, hours, closures and blocks as they are now, by date. The list is computed anew with each request. A page may be short, or empty, and still have a next_cursor.
         *
         *     Needs the scope `read`.
         */
        get: operations["list-tenant-conflicts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenant/email-preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * See how an email reads
         * @description Nothing is sent and nothing is stored.
         *
         *     Needs the scope `admin`.
         */
        post: operations["preview-email"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenant/hours": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the tenant's hours
         * @description The resources that inherit their hours follow them. The ETag is that of the tenant's settings.
         *
         *     Needs the scope `catalog`.
         */
        get: operations["get-tenant-hours"];
        /**
         * Replace the tenant's hours
         * @description Every resource that never got hours, or got `{"inherited": true}`, follows them. They mean what the hours of a resource mean. A tenant is always open until it gets hours: `{"always_open": true}` opens it again. Bookings that were made by the old hours stay: `GET /v1/tenant/conflicts` lists those that no longer fit. A change raises the version of the tenant's settings.
         *
         *     Needs the scope `admin`.
         */
        put: operations["set-tenant-hours"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenant/logo": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Set the tenant's logo
         * @description The booking page and the pages of bookings show it beside the tenant's name: on all servers after ten seconds. The same logo again keeps the version of the settings.
         *
         *     Needs the scope `admin`.
         */
        put: operations["set-logo"];
        post?: never;
        /**
         * Remove the tenant's logo
         * @description Also if there is none.
         *
         *     Needs the scope `admin`.
         */
        delete: operations["remove-logo"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         * @description Also those that have ended.
         *
         *     Needs the scope `admin`.
         */
        get: operations["list-own-api-keys"];
        put?: never;
        /**
         * Make another API key
         * @description A key grants only scopes that it has itself; others get 403 with a detail that names them. The new key is shown in this response only.
         *
         *     Needs the scope `admin`.
         */
        post: operations["create-own-api-key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what is known of an API key
         * @description Needs the scope `admin`.
         */
        get: operations["get-own-api-key"];
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description Also a key with scopes that the key that asks lacks. It stops working at once on the server that is asked, and within ten seconds on all others. The last key with the scope admin can't be revoked here: make or rotate one first.
         *
         *     Needs the scope `admin`.
         */
        delete: operations["revoke-own-api-key"];
        options?: never;
        head?: never;
        /**
         * Change the name and the scopes of an API key
         * @description Scopes that are added must be scopes of the key that asks; any scope may be removed. Another scope works at once on the server that is asked, and within ten seconds on all others. The last key with the scope admin keeps it.
         *
         *     Needs the scope `admin`.
         */
        patch: operations["change-own-api-key"];
        trace?: never;
    };
    "/v1/api-keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace an API key
         * @description The new key has the same name and scopes, which must all be scopes of the key that asks. It is shown in this response only. The old key ends after the overlap, or sooner if it was to end sooner; servers that are not asked notice within ten seconds.
         *
         *     Needs the scope `admin`.
         */
        post: operations["rotate-own-api-key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users
         * @description By id, without those who were removed.
         *
         *     Needs the scope `admin`.
         */
        get: operations["list-users"];
        put?: never;
        /**
         * Let a person sign in to the console
         * @description A link that signs the person in is emailed. It works once, within seven days. Later the person gets another one at the console, by the email. A server that sends no email makes links by `holdfast user link`. A key gives only roles whose scopes it has itself: 403.
         *
         *     Needs the scope `admin`.
         */
        post: operations["invite-user"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read who a user is
         * @description Needs the scope `admin`.
         */
        get: operations["get-user"];
        put?: never;
        post?: never;
        /**
         * Remove a user
         * @description The person is signed out: at once on the server that is asked, and within ten seconds on all others. Histories go on naming the person.
         *
         *     Needs the scope `admin`.
         */
        delete: operations["remove-user"];
        options?: never;
        head?: never;
        /**
         * Change a user
         * @description A JSON Merge Patch (RFC 7396): what isn't given stays as it is, null removes, and objects are merged. Another email ends the user's sign-ins. Another role works at once on the server that is asked, and within ten seconds on all others. A change to what is already so keeps the version. 403: the key lacks a scope of the user's former role or of the new one.
         *
         *     Needs the scope `admin`.
         */
        patch: operations["change-user"];
        trace?: never;
    };
    "/admin/v1/deliveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a delivery with its attempts (all tenants)
         * @description Needs the server's admin key.
         */
        get: operations["get-operator-delivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/deliveries/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a delivery again (all tenants)
         * @description It is due at once and has all its attempts. The receiver gets the same webhook-id.
         *
         *     Needs the server's admin key.
         */
        post: operations["replay-operator-delivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what happened to all tenants
         * @description The feed of all tenants in one order, with the same events, cursors and stream as a tenant's feed at /v1/events. A cursor stays valid when a tenant is deleted: its events are no longer there.
         *
         *     Needs the server's admin key.
         */
        get: operations["list-events-of-all-tenants"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/locks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See held and awaited locks
         * @description The advisory locks of the database under their names, who holds them, who waits, and who keeps whom waiting: what holdfast locks --json prints. Requests that wait inside a server have no database session and aren't shown.
         *
         *     Needs the server's admin key.
         */
        get: operations["list-locks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List payments and refunds of all tenants
         * @description In the order in which they were made. Filters combine. What is known of customers and payment methods isn't shown.
         *
         *     Needs the server's admin key.
         */
        get: operations["list-payments-of-all-tenants"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/tenants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tenants
         * @description Needs the server's admin key.
         */
        get: operations["list-tenants"];
        put?: never;
        /**
         * Add a tenant
         * @description Needs the server's admin key.
         */
        post: operations["create-tenant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/tenants/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a tenant
         * @description Needs the server's admin key.
         */
        get: operations["read-tenant"];
        put?: never;
        post?: never;
        /**
         * Delete a tenant
         * @description Only a tenant that has been suspended for a minute, whose money has no open end, and which has been exported since. It can't be undone. The tenant is deleting while what it has is deleted in the background, and deleted when nothing is left but its id. Then its slug is free again.
         *
         *     Needs the server's admin key.
         */
        delete: operations["delete-tenant"];
        options?: never;
        head?: never;
        /**
         * Correct a tenant
         * @description A JSON Merge Patch (RFC 7396): what isn't given stays as it is, null removes, and objects are merged. name and slug can change at any time. time_zone and currency change only while the tenant is suspended, and has been so for a minute, and only before anything was made by them: bookings and blocks by the time zone; services, bookings, wallets and payments by the currency.
         *
         *     Needs the server's admin key.
         */
        patch: operations["correct-tenant"];
        trace?: never;
    };
    "/admin/v1/tenants/{id}/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a tenant's API keys
         * @description Also those that have ended.
         *
         *     Needs the server's admin key.
         */
        get: operations["list-api-keys"];
        put?: never;
        /**
         * Issue another API key
         * @description Without a body, the key has all scopes and no name.
         *
         *     Needs the server's admin key.
         */
        post: operations["create-api-key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/tenants/{id}/api-keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description It stops working at once on the server that is asked, and within ten seconds on all others.
         *
         *     Needs the server's admin key.
         */
        delete: operations["revoke-api-key"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/tenants/{id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export all that a tenant has
         * @description Lines of JSON (NDJSON): the tenant, each row of each table without secrets, and at last the numbers of rows with the export_id that a deletion must name. An export without its last line is incomplete. What changes meanwhile may be as it was before or after.
         *
         *     Needs the server's admin key.
         */
        get: operations["export-tenant"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/tenants/{id}/payment-account": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a tenant's account at the payment provider
         * @description Needs the server's admin key.
         */
        get: operations["read-tenant-payment-account"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Set a tenant's account at the payment provider, and the platform's fee
         * @description A JSON Merge Patch (RFC 7396): what isn't given stays as it is, null removes, and objects are merged. They are of payments from then on: payments that were made keep their account and their fee, and so do their refunds. The account must be connected to the platform. account_id null has the platform's account take the tenant's payments.
         *
         *     Needs the server's admin key.
         */
        patch: operations["change-tenant-payment-account"];
        trace?: never;
    };
    "/admin/v1/tenants/{id}/reconciliation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare a tenant's payments with the payment provider
         * @description As holdfast reconcile --tenant does: each payment and refund of these dates with the journals of all configured providers. It changes nothing. It asks the providers, and may take 45 seconds. If a provider can't be asked, the answer is 503 provider_unavailable. offline has the tenant's money that no provider sees, by date and method, as GET /v1/payments/offline.
         *
         *     Needs the server's admin key.
         */
        get: operations["reconcile-tenant"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/tenants/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a suspended tenant go on
         * @description Its API keys work again: at once on the server that is asked, and within ten seconds on all others.
         *
         *     Needs the server's admin key.
         */
        post: operations["resume-tenant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/tenants/{id}/suspend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Suspend a tenant
         * @description Its API keys get 403 tenant_suspended: at once from the server that is asked, and within ten seconds from all others. What was begun goes on: payments are resolved, holds expire, refunds are made, webhooks tell of it. No email is sent to its customers. To suspend it again changes the reason.
         *
         *     Needs the server's admin key.
         */
        post: operations["suspend-tenant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/webhook-endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhook endpoints (all tenants)
         * @description Needs the server's admin key.
         */
        get: operations["list-operator-webhook-endpoints"];
        put?: never;
        /**
         * Add a webhook endpoint (all tenants)
         * @description Events that occur from now on are delivered to the URL: those of the tenant, or, to the operator, those of all tenants, with tenant_id. There are at most 20 endpoints.
         *
         *     Needs the server's admin key.
         */
        post: operations["create-operator-webhook-endpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/webhook-endpoints/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a webhook endpoint (all tenants)
         * @description Needs the server's admin key.
         */
        get: operations["get-operator-webhook-endpoint"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook endpoint (all tenants)
         * @description Each planned delivery to it is cancelled when it is due.
         *
         *     Needs the server's admin key.
         */
        delete: operations["delete-operator-webhook-endpoint"];
        options?: never;
        head?: never;
        /**
         * Change a webhook endpoint (all tenants)
         * @description A JSON Merge Patch (RFC 7396): what isn't given stays as it is, null removes, and objects are merged. A change to what is already so keeps the version.
         *
         *     Needs the server's admin key.
         */
        patch: operations["change-operator-webhook-endpoint"];
        trace?: never;
    };
    "/admin/v1/webhook-endpoints/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries to a webhook endpoint (all tenants)
         * @description The newest events come first.
         *
         *     Needs the server's admin key.
         */
        get: operations["list-operator-deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/webhook-endpoints/{id}/ping": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test event to a webhook endpoint (all tenants)
         * @description An event of the type webhook.ping is delivered to this endpoint alone, with one attempt. Read the delivery to see what came of it.
         *
         *     Needs the server's admin key.
         */
        post: operations["ping-operator-webhook-endpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/webhook-endpoints/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver a range of events to a webhook endpoint again (all tenants)
         * @description All events of the range that have the endpoint's types are delivered, also those that occurred before it existed or while it was disabled. At most 10000 at once.
         *
         *     Needs the server's admin key.
         */
        post: operations["replay-operator-webhook-events"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/v1/webhook-endpoints/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the secret of a webhook endpoint (all tenants)
         * @description The former secret signs too for 24 hours.
         *
         *     Needs the server's admin key.
         */
        post: operations["rotate-operator-webhook-secret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    event: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An event, as it is delivered to your endpoints
         * @description Delivered to each endpoint that wants its type. Verify the signature of the bytes as they came, and expect an event twice, by its id. [How to receive webhooks](/docs/webhooks)
         */
        post: operations["receive-event"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /**
         * @description The tenant's account at the provider, in which it is made; absent if that is the platform's own.
         * @example acct_1OxYz2
         */
        AccountField: string;
        Address: {
            /** @example booking@harbour.example */
            email: string;
            /** @example Harbour Tours */
            name?: string;
        };
        /** @description true: it gets one of the service's resources, chosen as for a new booking. Leave out resource_id and resource_ids then. */
        AnyResourceField: boolean;
        ApiKey: {
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When the key stops working, because another one replaced it.
             */
            expires_at?: string;
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description Known to about two minutes. Absent for a key that was not used yet.
             */
            last_used_at?: string;
            /** @example Till at the pier */
            name: string;
            /**
             * Format: date-time
             * @description When the key was revoked.
             */
            revoked_at?: string;
            /** @description What the key may do. No scope includes another one. */
            scopes: ("catalog" | "hold" | "read" | "book" | "customers" | "money" | "admin")[];
            /** Format: uuid */
            tenant_id: string;
        };
        ApiKeyPage: {
            data: components["schemas"]["ApiKey"][];
            /** @description Give it as cursor to get the next page; absent on the last one. */
            next_cursor?: string;
        };
        Archive: {
            /** @description true: archive it although it has bookings. They stay. */
            force?: boolean;
        };
        ArrivalRule: {
            from?: components["schemas"]["FromField"];
            /**
             * Format: int64
             * @description In place of the service's, and no more than that.
             */
            max_nights?: number;
            /**
             * Format: int64
             * @description In place of the service's.
             * @example 3
             */
            min_nights?: number;
            /**
             * Format: int64
             * @description In place of the service's.
             * @example 7
             */
            nights_multiple?: number;
            /**
             * @description Last date, in the form of from. A part of each year may go over new year.
             * @example 08-31
             */
            to?: string;
            weekdays?: components["schemas"]["WeekdaysField"];
        };
        Availability: {
            /** @description In order of the dates. A date with more slots than fit on a page is continued on the next one. */
            data: components["schemas"]["Day"][];
            /** @description Give it as cursor, with the same other parameters, to get the next page; absent on the last one. */
            next_cursor?: string;
        };
        Balance: {
            /** @example EUR */
            currency: string;
            /**
             * Format: int64
             * @description What is still to pay of the deposit.
             * @example 0
             */
            deposit_due: number;
            /**
             * Format: int64
             * @description What is still to pay in all: of the price less what refunds lower it by, or of the fee of a booking that ended with a cancellation fee if that is less. Zero for any other booking that won't take place.
             * @example 2500
             */
            due: number;
            /**
             * Format: int64
             * @description By how much refunds lower what the booking owes. The rest of what was refunded was overpaid, or is owed again.
             * @example 0
             */
            lowered: number;
            /**
             * Format: int64
             * @description How much of lowered lowers the cancellation fee: by refunds that began after the booking had ended with one. The rest lowers the price.
             * @example 0
             */
            lowered_fee: number;
            /**
             * Format: int64
             * @description What is kept beyond what the booking owes. Zero for a booking that was cancelled without a cancellation fee: you decide what is refunded.
             * @example 0
             */
            overpaid: number;
            /**
             * Format: int64
             * @example 10000
             */
            paid: number;
            /**
             * Format: int64
             * @example 2500
             */
            refunded: number;
            /**
             * Format: int64
             * @description Refunds that are on their way. They count as if they had succeeded in what is due and overpaid.
             * @example 0
             */
            returning: number;
            /**
             * Format: int64
             * @description The booking's price. All amounts are minor units of currency.
             * @example 10000
             */
            total: number;
        };
        /**
         * Format: date
         * @description Not after today, where the customer is or, without time_zone, where the tenant is.
         * @example 1990-12-10
         */
        BirthdayField: string;
        Block: {
            /**
             * Format: date-time
             * @description Since when it takes nothing any more; absent if it does.
             */
            archived_at?: string;
            /**
             * Format: int64
             * @description How many bookings those are.
             * @example 3
             */
            conflict_count?: number;
            /** @description In the answer to a change with force: the bookings that stand in the block, by their beginning; at most 100. The resource's conflicts list them as long as they do. */
            conflicts?: string[] | null;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description At most 62 dates in all.
             * @example 2027-07-01T12:00:00+02:00
             */
            ends_at?: string;
            /**
             * Format: date
             * @description First date.
             * @example 2027-12-24
             */
            from?: string;
            /** Format: uuid */
            id: string;
            /** @example Engine service */
            reason?: string;
            /** Format: uuid */
            resource_id: string;
            /**
             * @description Repeats the block by the tenant's wall clock: an RRULE (RFC 5545) of FREQ=DAILY, WEEKLY, MONTHLY or YEARLY with COUNT or UNTIL. The first time must be one of the rule's.
             * @example FREQ=WEEKLY;BYDAY=MO,TH;UNTIL=20271231
             */
            rrule?: string;
            /**
             * Format: date-time
             * @description RFC 3339 with an offset, to the minute. Give starts_at and ends_at, or from and to.
             * @example 2027-07-01T09:00:00+02:00
             */
            starts_at?: string;
            /** @description All times of the block, in order. */
            times: components["schemas"]["BlockTime"][];
            /**
             * Format: date
             * @description Last date; at most 62 dates in all, those before a change included.
             * @example 2027-12-26
             */
            to?: string;
            /** Format: date-time */
            updated_at: string;
            /**
             * Format: int64
             * @description Grows with every change; the ETag is its text.
             * @example 1
             */
            version: number;
        };
        BlockChange: {
            /**
             * Format: date-time
             * @description At most 62 dates in all.
             * @example 2027-07-01T12:00:00+02:00
             */
            ends_at?: string;
            /** @description true: take the time although bookings stand in the way. They stay; conflicts names them. */
            force?: boolean;
            /**
             * Format: date
             * @description First date.
             * @example 2027-12-24
             */
            from?: string;
            /** @example Engine service */
            reason?: string;
            /** Format: uuid */
            resource_id: string;
            /**
             * @description Repeats the block by the tenant's wall clock: an RRULE (RFC 5545) of FREQ=DAILY, WEEKLY, MONTHLY or YEARLY with COUNT or UNTIL. The first time must be one of the rule's.
             * @example FREQ=WEEKLY;BYDAY=MO,TH;UNTIL=20271231
             */
            rrule?: string;
            /**
             * Format: date-time
             * @description RFC 3339 with an offset, to the minute. Give starts_at and ends_at, or from and to.
             * @example 2027-07-01T09:00:00+02:00
             */
            starts_at?: string;
            /**
             * Format: date
             * @description Last date; at most 62 dates in all, those before a change included.
             * @example 2027-12-26
             */
            to?: string;
        };
        /** @description Data is the block after the change. */
        BlockEvent: {
            data: components["schemas"]["Block"];
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            occurred_at: string;
            /** @example Ada, support */
            operator?: string;
            /**
             * Format: int64
             * @example 2
             */
            sequence: number;
            subject: components["schemas"]["EventSubject"];
            /** @enum {string} */
            type: "block.archived" | "block.created" | "block.unarchived" | "block.updated";
        };
        BlockForce: {
            /** @description true: take the time although bookings stand in the way. They stay. */
            force?: boolean;
        };
        BlockPage: {
            data: components["schemas"]["Block"][];
            /** @description Give it as cursor to get the next page; absent on the last one. */
            next_cursor?: string;
        };
        BlockTime: {
            /**
             * Format: date-time
             * @example 2027-07-01T12:00:00+02:00
             */
            ends_at: string;
            /**
             * Format: date-time
             * @example 2027-07-01T09:00:00+02:00
             */
            starts_at: string;
        };
        Booking: {
            /**
             * Format: int64
             * @description What is kept, or due, of the price, less what refunds lower it by. Only of a booking that ended by its cancellation policy, or with a fee that the request said.
             * @example 2250
             */
            cancellation_fee?: number;
            /** @description true: the request that ended the booking said the fee. Otherwise the cancellation policy did. */
            cancellation_fee_set?: boolean;
            /** @description What is kept, or due, of the price of a confirmed booking that is cancelled; {} if there is none: then the tenant decides what is refunded. A booking has the service's as of when it was made, or quoted anew. */
            cancellation_policy?: components["schemas"]["CancellationPolicy"];
            /** @example The customer is ill. */
            cancellation_reason?: string;
            /** Format: date-time */
            cancelled_at?: string;
            /**
             * Format: date
             * @description Of a stay: the check-out date. date is the check-in date.
             * @example 2027-07-04
             */
            check_out?: string;
            /**
             * @description A short name to be read over the phone.
             * @example K7MX2PQR
             */
            code: string;
            /** Format: date-time */
            completed_at?: string;
            confirm_on_deposit?: components["schemas"]["ConfirmOnDepositField"];
            /**
             * Format: date-time
             * @description When it was confirmed; of a booking that was never a hold, when it was made. Like the other times of statuses it is absent if that hasn't happened, or happened before the server recorded it.
             */
            confirmed_at?: string;
            /** Format: date-time */
            created_at: string;
            /** @example EUR */
            currency: string;
            /** @description Absent of a hold whose customer is not known yet. */
            customer?: components["schemas"]["BookingCustomer"];
            /**
             * Format: date
             * @description The civil date of starts_at in time_zone.
             * @example 2027-07-01
             */
            date: string;
            /**
             * Format: int64
             * @example 1000
             */
            deposit: number;
            /**
             * Format: int64
             * @description What is still to pay: of the price, or of the fee of a booking that ended with a cancellation fee, less what refunds lower it by. Zero for any other booking that won't take place.
             * @example 3500
             */
            due: number;
            /**
             * Format: date-time
             * @example 2027-07-01T11:00:00+02:00
             */
            ends_at: string;
            /**
             * Format: date-time
             * @description When the hold was marked as expired. It stays if the booking was confirmed afterwards.
             */
            expired_at?: string;
            /**
             * @description What another system calls it; null without one.
             * @example shop-4711
             */
            external_reference: string | null;
            /**
             * Format: date-time
             * @description When the hold ends, or would have ended, by itself. A hold past it counts as free.
             */
            hold_expires_at?: string;
            /** Format: uuid */
            id: string;
            items: components["schemas"]["ItemsField"];
            /** @description Anything of your own, up to 16 KiB. */
            metadata: {
                [key: string]: unknown;
            };
            nights?: components["schemas"]["NightsField"];
            /** Format: date-time */
            no_show_at?: string;
            /**
             * Format: int64
             * @description What was captured, and neither returned nor is on its way back, beyond what the booking owes. POST /v1/bookings/{id}/refunds returns it. Zero for a booking that was cancelled without a cancellation fee: you decide what is refunded.
             * @example 0
             */
            overpaid: number;
            /**
             * Format: int64
             * @description What was captured, also of what was refunded since.
             * @example 1000
             */
            paid: number;
            /** @description How many come of each unit type; absent if the service has none. */
            party?: {
                [key: string]: number;
            };
            /**
             * Format: int64
             * @example 2
             */
            party_size: number;
            /**
             * Format: int64
             * @description Minor units of currency, as of when the booking was made, or quoted anew.
             * @example 4500
             */
            price: number;
            /**
             * @description The tenant's own name of it; null without one.
             * @example Wedding Miller
             */
            reference: string | null;
            /**
             * Format: int64
             * @description What was returned of it. The balance tells what is on its way back.
             * @example 0
             */
            refunded: number;
            /** Format: uuid */
            resource_id: string;
            /** @description All resources that it has, the first of them resource_id; absent if it has only that. */
            resource_ids?: string[] | null;
            /** Format: uuid */
            service_id: string;
            /**
             * Format: date-time
             * @example 2027-07-01T10:00:00+02:00
             */
            starts_at: string;
            /**
             * @example confirmed
             * @enum {string}
             */
            status: "held" | "confirmed" | "completed" | "cancelled" | "expired" | "no_show";
            /** @example Europe/Berlin */
            time_zone: string;
            /** Format: date-time */
            updated_at: string;
            /**
             * Format: int64
             * @description Grows with every change, those of the money included; the ETag is its text.
             * @example 1
             */
            version: number;
        };
        BookingCustomer: {
            birthday?: components["schemas"]["BirthdayField"];
            email: components["schemas"]["EmailField"];
            /** Format: uuid */
            id: string;
            /**
             * @description Of emails about this booking; without it they are in the first language of the booking page. It stays with the booking.
             * @example de
             * @enum {string}
             */
            language?: "en" | "de" | "es";
            name: components["schemas"]["NameField"];
            /** @example +49 30 901820 */
            phone?: string;
            /** @example Europe/London */
            time_zone?: string;
        };
        /** @description Data is the booking after the change. */
        BookingEvent: {
            data: components["schemas"]["Booking"];
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            occurred_at: string;
            /** @example Ada, support */
            operator?: string;
            /**
             * Format: int64
             * @example 2
             */
            sequence: number;
            subject: components["schemas"]["EventSubject"];
            /** @enum {string} */
            type: "booking.anniversary" | "booking.cancelled" | "booking.completed" | "booking.confirmed" | "booking.created" | "booking.expired" | "booking.follow_up" | "booking.held" | "booking.no_show" | "booking.overpaid" | "booking.reminder" | "booking.rescheduled" | "booking.updated";
        };
        BookingLink: {
            /**
             * Format: uri
             * @example https://booking.example.com/booking/k3Vt…
             */
            url: string;
        };
        BookingPage: {
            data: components["schemas"]["Booking"][];
            /** @description Give it as cursor to get the next page; absent on the last one. */
            next_cursor?: string;
        };
        BookingWithPayment: {
            /**
             * Format: int64
             * @description What is kept, or due, of the price, less what refunds lower it by. Only of a booking that ended by its cancellation policy, or with a fee that the request said.
             * @example 2250
             */
            cancellation_fee?: number;
            /** @description true: the request that ended the booking said the fee. Otherwise the cancellation policy did. */
            cancellation_fee_set?: boolean;
            /** @description What is kept, or due, of the price of a confirmed booking that is cancelled; {} if there is none: then the tenant decides what is refunded. A booking has the service's as of when it was made, or quoted anew. */
            cancellation_policy?: components["schemas"]["CancellationPolicy"];
            /** @example The customer is ill. */
            cancellation_reason?: string;
            /** Format: date-time */
            cancelled_at?: string;
            /**
             * Format: date
             * @description Of a stay: the check-out date. date is the check-in date.
             * @example 2027-07-04
             */
            check_out?: string;
            /**
             * @description A short name to be read over the phone.
             * @example K7MX2PQR
             */
            code: string;
            /** Format: date-time */
            completed_at?: string;
            confirm_on_deposit?: components["schemas"]["ConfirmOnDepositField"];
            /**
             * Format: date-time
             * @description When it was confirmed; of a booking that was never a hold, when it was made. Like the other times of statuses it is absent if that hasn't happened, or happened before the server recorded it.
             */
            confirmed_at?: string;
            /** Format: date-time */
            created_at: string;
            /** @example EUR */
            currency: string;
            /** @description Absent of a hold whose customer is not known yet. */
            customer?: components["schemas"]["BookingCustomer"];
            /**
             * Format: date
             * @description The civil date of starts_at in time_zone.
             * @example 2027-07-01
             */
            date: string;
            /**
             * Format: int64
             * @example 1000
             */
            deposit: number;
            /**
             * Format: int64
             * @description What is still to pay: of the price, or of the fee of a booking that ended with a cancellation fee, less what refunds lower it by. Zero for any other booking that won't take place.
             * @example 3500
             */
            due: number;
            /**
             * Format: date-time
             * @example 2027-07-01T11:00:00+02:00
             */
            ends_at: string;
            /**
             * Format: date-time
             * @description When the hold was marked as expired. It stays if the booking was confirmed afterwards.
             */
            expired_at?: string;
            /**
             * @description What another system calls it; null without one.
             * @example shop-4711
             */
            external_reference: string | null;
            /**
             * Format: date-time
             * @description When the hold ends, or would have ended, by itself. A hold past it counts as free.
             */
            hold_expires_at?: string;
            /** Format: uuid */
            id: string;
            items: components["schemas"]["ItemsField"];
            /** @description Anything of your own, up to 16 KiB. */
            metadata: {
                [key: string]: unknown;
            };
            nights?: components["schemas"]["NightsField"];
            /** Format: date-time */
            no_show_at?: string;
            /**
             * Format: int64
             * @description What was captured, and neither returned nor is on its way back, beyond what the booking owes. POST /v1/bookings/{id}/refunds returns it. Zero for a booking that was cancelled without a cancellation fee: you decide what is refunded.
             * @example 0
             */
            overpaid: number;
            /**
             * Format: int64
             * @description What was captured, also of what was refunded since.
             * @example 1000
             */
            paid: number;
            /** @description How many come of each unit type; absent if the service has none. */
            party?: {
                [key: string]: number;
            };
            /**
             * Format: int64
             * @example 2
             */
            party_size: number;
            payment: components["schemas"]["Payment"];
            /**
             * Format: int64
             * @description Minor units of currency, as of when the booking was made, or quoted anew.
             * @example 4500
             */
            price: number;
            /**
             * @description The tenant's own name of it; null without one.
             * @example Wedding Miller
             */
            reference: string | null;
            /**
             * Format: int64
             * @description What was returned of it. The balance tells what is on its way back.
             * @example 0
             */
            refunded: number;
            /** Format: uuid */
            resource_id: string;
            /** @description All resources that it has, the first of them resource_id; absent if it has only that. */
            resource_ids?: string[] | null;
            /** Format: uuid */
            service_id: string;
            /**
             * Format: date-time
             * @example 2027-07-01T10:00:00+02:00
             */
            starts_at: string;
            /**
             * @example confirmed
             * @enum {string}
             */
            status: "held" | "confirmed" | "completed" | "cancelled" | "expired" | "no_show";
            /** @example Europe/Berlin */
            time_zone: string;
            /** Format: date-time */
            updated_at: string;
            /**
             * Format: int64
             * @description Grows with every change, those of the money included; the ETag is its text.
             * @example 1
             */
            version: number;
        };
        Cancel: {
            /**
             * Format: int64
             * @description At this fee, or not at all: the fee of the cancellation quote, in minor units of the booking's currency. For another one by now the answer is 409 price_changed with the fee, and nothing changes.
             * @example 2250
             */
            expect_fee?: number;
            /**
             * Format: int64
             * @description What is kept, or due, of the price instead of what the cancellation policy says, at most the price; 0 waives it. Minor units of the booking's currency. It needs the scope money too.
             * @example 0
             */
            fee?: number;
            /**
             * @description Not blank, and without control characters.
             * @example The customer is ill.
             */
            reason?: string;
        };
        CancellationFee: {
            /**
             * Format: int64
             * @description Minor units of currency; at most the price is kept.
             * @example 2000
             */
            amount?: number;
            /**
             * Format: int64
             * @description Of the booking's price, rounded half up to a minor unit, or to the smallest amount that can be paid by card, such as 10 fils of KWD. Either this or amount.
             * @example 50
             */
            percent?: number;
        };
        CancellationPolicy: {
            /** @description What it costs if the customer doesn't come; the whole price if absent. */
            no_show?: components["schemas"]["CancellationFee"];
            /** @description In the order of time, so from_minutes falls. Before the first step a cancellation is free. An empty list is free at any time. */
            steps?: components["schemas"]["CancellationStep"][];
        };
        CancellationQuote: {
            /**
             * Format: date-time
             * @description The moment that it was computed for.
             */
            as_of: string;
            /**
             * Format: date-time
             * @description When the fee changes next, unless the booking is changed before; absent if it doesn't.
             */
            changes_at?: string;
            /** @example EUR */
            currency: string;
            /**
             * Format: int64
             * @description What would still be to pay of the fee.
             * @example 0
             */
            due: number;
            /**
             * Format: int64
             * @description What would be kept, or due, of the price less what refunds have lowered it by. All amounts are minor units of currency.
             * @example 2250
             */
            fee: number;
            /**
             * Format: int64
             * @description What would be refunded automatically; what was paid offline you hand back. Without a cancellation policy it is 0 for a confirmed booking: you decide.
             * @example 7750
             */
            refund: number;
        };
        CancellationStep: {
            /**
             * Format: int64
             * @description Minor units of currency; at most the price is kept.
             * @example 2000
             */
            amount?: number;
            /**
             * Format: int64
             * @description The step begins this long before the booking starts.
             * @example 1440
             */
            from_minutes: number;
            /**
             * Format: int64
             * @description Of the booking's price, rounded half up to a minor unit, or to the smallest amount that can be paid by card, such as 10 fils of KWD. Either this or amount.
             * @example 50
             */
            percent?: number;
        };
        Capture: {
            /**
             * Format: int64
             * @description Without it, all of the hold. With less than that, the rest can be spent again.
             * @example 1000
             */
            amount?: number;
            /** @example Goodwill */
            reason?: string;
            /** @example ticket 4711 */
            reference?: string;
        };
        /** @description A JSON Merge Patch: what is absent stays, null removes. Fields without a description are those of BlockChange. */
        ChangeBlock: {
            /**
             * Format: date-time
             * @example 2027-07-01T12:00:00+02:00
             */
            ends_at?: string | null;
            force?: boolean | null;
            /**
             * Format: date
             * @example 2027-12-24
             */
            from?: string | null;
            /** @example Engine service */
            reason?: string | null;
            /** Format: uuid */
            resource_id?: string;
            /** @example FREQ=WEEKLY;BYDAY=MO,TH;UNTIL=20271231 */
            rrule?: string | null;
            /**
             * Format: date-time
             * @example 2027-07-01T09:00:00+02:00
             */
            starts_at?: string | null;
            /**
             * Format: date
             * @example 2027-12-26
             */
            to?: string | null;
        };
        /** @description A JSON Merge Patch: what is absent stays, null removes. Fields without a description are those of Closure. */
        ChangeClosure: {
            /** @example 14:30 */
            ends?: string | null;
            /**
             * Format: date
             * @example 2027-12-24
             */
            from?: string;
            /** @example Winter maintenance */
            reason?: string | null;
            /** Format: uuid */
            resource_id?: string | null;
            /** @example 12:00 */
            starts?: string | null;
            /**
             * Format: date
             * @example 2027-12-26
             */
            to?: string;
            yearly?: boolean | null;
        };
        /** @description A JSON Merge Patch: what is absent stays, null removes. Fields without a description are those of BookingCustomer. */
        ChangeCustomer: {
            /**
             * Format: date
             * @example 1990-12-10
             */
            birthday?: string | null;
            /** @example ada@example.com */
            email?: string;
            /** @example Ada Lovelace */
            name?: string;
            /** @example +49 30 901820 */
            phone?: string | null;
            /** @example Europe/London */
            time_zone?: string | null;
        };
        /** @description A JSON Merge Patch: what is absent stays, null removes. Fields without a description are those of ResourceChange. */
        ChangeResource: {
            /**
             * Format: int64
             * @example 10
             */
            capacity?: number;
            force?: boolean | null;
            /** @example Boat 1 */
            name?: string;
            /**
             * Format: int64
             * @example 1
             */
            position?: number | null;
        };
        /** @description A JSON Merge Patch: what is absent stays, null removes. Fields without a description are those of Service. */
        ChangeService: {
            arrival_rules?: components["schemas"]["ArrivalRule"][] | null;
            arrival_weekdays?: ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[] | null;
            /**
             * Format: int64
             * @example 365
             */
            booking_window_days?: number | null;
            /** Format: int64 */
            buffer_after_days?: number | null;
            /** Format: int64 */
            buffer_after_minutes?: number | null;
            /** Format: int64 */
            buffer_before_days?: number | null;
            /** Format: int64 */
            buffer_before_minutes?: number | null;
            cancellation_policy?: {
                no_show?: {
                    /**
                     * Format: int64
                     * @description Minor units of currency; at most the price is kept.
                     * @example 2000
                     */
                    amount?: number | null;
                    /**
                     * Format: int64
                     * @description Of the booking's price, rounded half up to a minor unit, or to the smallest amount that can be paid by card, such as 10 fils of KWD. Either this or amount.
                     * @example 50
                     */
                    percent?: number | null;
                } | null;
                /** @description In the order of time, so from_minutes falls. Before the first step a cancellation is free. An empty list is free at any time. */
                steps?: components["schemas"]["CancellationStep"][] | null;
            } | null;
            /** @example 15:00 */
            check_in?: string | null;
            /** @example 10:00 */
            check_out?: string | null;
            confirm_on_deposit?: boolean | null;
            departure_weekdays?: ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[] | null;
            /**
             * Format: int64
             * @example 1000
             */
            deposit?: number | null;
            /**
             * Format: int64
             * @example 20
             */
            deposit_percent?: number | null;
            /** @example An hour on the water, with coffee. */
            description?: string | null;
            /** Format: int64 */
            duration_days?: number | null;
            /**
             * Format: int64
             * @example 60
             */
            duration_minutes?: number | null;
            /**
             * Format: int64
             * @example 30
             */
            duration_step_minutes?: number | null;
            durations?: components["schemas"]["Duration"][] | null;
            /** @example 18:00 */
            ends?: string | null;
            /** @enum {string} */
            kind?: "date" | "slot" | "stay";
            /**
             * Format: int64
             * @example 480
             */
            max_duration_minutes?: number | null;
            /**
             * Format: int64
             * @example 14
             */
            max_nights?: number | null;
            /** Format: int64 */
            max_per_day?: number | null;
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: int64
             * @example 60
             */
            min_duration_minutes?: number | null;
            /** Format: int64 */
            min_lead_minutes?: number | null;
            /**
             * Format: int64
             * @example 2
             */
            min_nights?: number | null;
            /**
             * Format: int64
             * @example 2
             */
            min_party_size?: number | null;
            /** @example Harbour tour */
            name?: string;
            needs?: components["schemas"]["Need"][] | null;
            /**
             * Format: int64
             * @example 7
             */
            nights_multiple?: number | null;
            /** @enum {string|null} */
            occupies?: "units" | "whole" | "session" | null;
            /**
             * Format: int64
             * @example 4500
             */
            price?: number;
            /** @enum {string|null} */
            price_per?: "booking" | "unit" | null;
            /**
             * Format: int64
             * @example 60
             */
            price_per_minutes?: number | null;
            rates?: components["schemas"]["Rate"][] | null;
            reminders?: components["schemas"]["Reminder"][] | null;
            resource_ids?: string[] | null;
            sell_gaps?: boolean | null;
            /**
             * Format: int64
             * @example 30
             */
            slot_interval_minutes?: number | null;
            start_times?: components["schemas"]["StartTime"][] | null;
            /** @example 09:00 */
            starts?: string | null;
            unit_types?: components["schemas"]["UnitType"][] | null;
            until_closing?: boolean | null;
        };
        /** @description A JSON Merge Patch: what is absent stays, null removes. Fields without a description are those of Spec. */
        ChangeTenant: {
            balance_due?: {
                /**
                 * @description Wall-clock time in the tenant's time zone.
                 * @example 18:00
                 */
                at?: string | null;
                /**
                 * Format: int64
                 * @description Before the booking starts. Either this, or days_before and at.
                 * @example 120
                 */
                before_minutes?: number | null;
                /**
                 * Format: int64
                 * @description Before the booking's date; 0 is the date itself.
                 * @example 1
                 */
                days_before?: number | null;
            } | null;
            booking_page?: {
                /**
                 * @description Where people come: at the end of each page and email, and the place of calendar entries.
                 * @example Pier 7, 20457 Hamburg
                 */
                address?: string | null;
                /**
                 * @description Of buttons and of what is chosen. Text on it is black or white, whichever is easier to read.
                 * @example #0b5cad
                 */
                colour?: string | null;
                /**
                 * @description How people reach you; at the end of each page.
                 * @example Pier 7, +49 40 1234
                 */
                contact?: string | null;
                /**
                 * @description What customers may do with their bookings by themselves: move and cancel them (all, as if absent), cancel them, or nothing.
                 * @enum {string|null}
                 */
                customer_changes?: "all" | "cancel" | "none" | null;
                /**
                 * @description Sites that may show the page in a frame: scheme, host and port. No other one can.
                 * @example [
                 *       "https://www.harbour.example"
                 *     ]
                 */
                embed_origins?: string[] | null;
                /** @description true: people book at /book/{slug}, and the links in emails lead them to their bookings. */
                enabled?: boolean | null;
                /**
                 * Format: int64
                 * @description For how long a time is held while its customer fills in the form; 15 if absent.
                 * @example 15
                 */
                hold_minutes?: number | null;
                /**
                 * @description Stands above the services.
                 * @example Tours of the harbour since 1987.
                 */
                introduction?: string | null;
                /** @description What the page is offered in; the first is for people who want another one. All, with English first, if absent. */
                languages?: ("en" | "de" | "es")[] | null;
                /** @description The services that the page sells, in this order; all that aren't archived if absent. */
                service_ids?: string[] | null;
                /**
                 * @description Your terms, as text. Whoever books has to accept them. Without them nobody is asked.
                 * @example We sail in any weather but storm.
                 */
                terms?: string | null;
            } | null;
            email?: {
                from?: {
                    /** @example booking@harbour.example */
                    email?: string;
                    /** @example Harbour Tours */
                    name?: string | null;
                } | null;
                /** @description Templates of your own, in place of Holdfast's. */
                templates?: components["schemas"]["Template"][] | null;
            } | null;
            /**
             * Format: int64
             * @example 1440
             */
            follow_up_minutes?: number | null;
            greetings?: {
                anniversary?: boolean | null;
                birthday?: boolean | null;
            } | null;
            /** @example Harbour Tours */
            name?: string;
            owner_emails?: components["schemas"]["OwnerEmail"][] | null;
            payment_emails?: {
                /** @description Ten minutes after a payment was declined, if the booking isn't paid by then. */
                declined?: boolean | null;
                /** @description A notice of each refund. */
                refunded?: boolean | null;
                /** @description A receipt of each payment. */
                succeeded?: boolean | null;
            } | null;
            reminders?: components["schemas"]["Reminder"][] | null;
            unique_references?: boolean | null;
            website?: {
                limits?: {
                    /**
                     * Format: int64
                     * @description The most nights of a stay, and the most days of a slot, of one hold. A day that has begun counts. Absent: as many as the service sells.
                     * @example 14
                     */
                    nights?: number | null;
                    /**
                     * Format: int64
                     * @description The most holds that visitors have open at a time with the email of one customer: neither confirmed, given back nor ended. Absent: any number.
                     * @example 3
                     */
                    open_holds_per_email?: number | null;
                    /**
                     * Format: int64
                     * @description The most units of one hold: its party_size. Absent: as many as there are.
                     * @example 4
                     */
                    units?: number | null;
                } | null;
                /** @description Origins whose pages may use the tenant's publishable API keys, as browsers send them: scheme, host and port. https, or http on localhost and 127.0.0.1. */
                origins?: string[] | null;
            } | null;
        };
        /** @description A JSON Merge Patch: what is absent stays, null removes. Fields without a description are those of PaymentAccountSpec. */
        ChangeTenantPaymentAccount: {
            /** @example acct_1OxYz2 */
            account_id?: string | null;
            /**
             * Format: int64
             * @example 150
             */
            application_fee_basis_points?: number;
        };
        /** @description A JSON Merge Patch: what is absent stays, null removes. Fields without a description are those of User. */
        ChangeUser: {
            /** @example ada@harbour-tours.example */
            email?: string;
            /** @example Ada Lovelace */
            name?: string;
            /**
             * @example staff
             * @enum {string}
             */
            role?: "owner" | "staff" | "read";
        };
        ChangedEndpoint: {
            /** @example Production */
            description?: string | null;
            /**
             * @description false cancels each planned delivery when it is due. true also forgets earlier failures.
             * @example true
             */
            enabled?: boolean;
            types?: string[];
            /** @example https://example.com/webhooks */
            url?: string;
        };
        ChangedKey: {
            /** @example Till at the pier */
            name?: string;
            /** @description Replaces all scopes. */
            scopes?: ("catalog" | "hold" | "read" | "book" | "customers" | "money" | "admin")[];
        };
        /**
         * Format: date
         * @description For a stay: the check-in date. A stay that moves with check_in alone keeps its nights.
         * @example 2027-07-01
         */
        CheckInField: string;
        /**
         * Format: date
         * @description For a stay: the check-out date. A stay that changes by check_out alone keeps its arrival.
         * @example 2027-07-04
         */
        CheckOutField: string;
        Checkout: {
            /**
             * @description Where the customer goes from the page, after paying or without; payment_id is added to its query. https, or http on localhost.
             * @example https://example.com/paid
             */
            return_url: string;
        };
        Closure: {
            /**
             * Format: date-time
             * @description Since when it closes nothing any more; absent if it does.
             */
            archived_at?: string;
            /** Format: date-time */
            created_at: string;
            /**
             * @description After starts. 24:00 is the end of the date.
             * @example 14:30
             */
            ends?: string;
            /**
             * Format: date
             * @description First closed date.
             * @example 2027-12-24
             */
            from: string;
            /** Format: uuid */
            id: string;
            /** @example Winter maintenance */
            reason?: string;
            /**
             * Format: uuid
             * @description Without it, all of the tenant's resources close.
             */
            resource_id?: string;
            /**
             * @description With ends: only these hours of each date are closed, by the clock. Without: whole dates. Slots can't touch the hours; dates and nights can be booked all the same.
             * @example 12:00
             */
            starts?: string;
            /**
             * Format: date
             * @description Last closed date; at most 62 dates in all, those before a change included.
             * @example 2027-12-26
             */
            to: string;
            /** Format: date-time */
            updated_at: string;
            /**
             * Format: int64
             * @description Grows with every change; the ETag is its text.
             * @example 1
             */
            version: number;
            /** @description true: closes the same months and days each year, from the date from on. 29 February is in leap years only. */
            yearly?: boolean;
        };
        /** @description Data is the closure after the change. */
        ClosureEvent: {
            data: components["schemas"]["Closure"];
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            occurred_at: string;
            /** @example Ada, support */
            operator?: string;
            /**
             * Format: int64
             * @example 2
             */
            sequence: number;
            subject: components["schemas"]["EventSubject"];
            /** @enum {string} */
            type: "closure.archived" | "closure.created" | "closure.unarchived" | "closure.updated";
        };
        ClosurePage: {
            data: components["schemas"]["Closure"][];
            /** @description Give it as cursor to get the next page; absent on the last one. */
            next_cursor?: string;
        };
        ClosureSpec: {
            /**
             * @description After starts. 24:00 is the end of the date.
             * @example 14:30
             */
            ends?: string;
            /**
             * Format: date
             * @description First closed date.
             * @example 2027-12-24
             */
            from: string;
            /** @example Winter maintenance */
            reason?: string;
            /**
             * Format: uuid
             * @description Without it, all of the tenant's resources close.
             */
            resource_id?: string;
            /**
             * @description With ends: only these hours of each date are closed, by the clock. Without: whole dates. Slots can't touch the hours; dates and nights can be booked all the same.
             * @example 12:00
             */
            starts?: string;
            /**
             * Format: date
             * @description Last closed date; at most 62 dates in all, those before a change included.
             * @example 2027-12-26
             */
            to: string;
            /** @description true: closes the same months and days each year, from the date from on. 29 February is in leap years only. */
            yearly?: boolean;
        };
        Confirm: {
            any_resource?: components["schemas"]["AnyResourceField"];
            check_in?: components["schemas"]["CheckInField"];
            check_out?: components["schemas"]["CheckOutField"];
            /** @description Of a booking that is held or confirmed. It replaces the customer that the booking has. Either this or customer_id. The booking keeps it as it is given. It fills in what isn't known of the customer with this email. */
            customer?: components["schemas"]["NewCustomer"];
            /**
             * Format: uuid
             * @description Of a booking that is held or confirmed. Either this or customer. The booking gets the contact that is known of this customer now.
             */
            customer_id?: string;
            date?: components["schemas"]["DateField"];
            duration_days?: components["schemas"]["DurationDaysField"];
            duration_minutes?: components["schemas"]["DurationMinutesField"];
            expect_price?: components["schemas"]["ExpectPriceField"];
            /** @example shop-4711 */
            external_reference?: string | null;
            /**
             * Format: int64
             * @description How long a hold lasts from now. A hold that lasts longer already keeps its end; in all it lasts at most 7 days.
             * @example 15
             */
            hold_minutes?: number;
            /** @description true: a hold that has expired is confirmed as well, if its time is still free. */
            if_still_free?: boolean;
            /** @description Merged with the object, whatever the booking's status. */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description true: the links that lead the customer to the booking stop working; GET /v1/bookings/{id}/link gives the next one. Another email does so by itself. */
            new_link?: boolean;
            party?: components["schemas"]["PartyField"];
            /**
             * Format: int64
             * @description Of a booking with unit types give party instead.
             */
            party_size?: number;
            price?: components["schemas"]["PriceField"];
            /** @example Wedding Miller */
            reference?: string | null;
            resource_id?: components["schemas"]["ResourceIdField"];
            resource_ids?: components["schemas"]["ResourceIdsField"];
            /**
             * Format: uuid
             * @description Another service.
             */
            service_id?: string;
            starts_at?: components["schemas"]["StartsAtField"];
            update_customer?: components["schemas"]["UpdateCustomerField"];
        };
        ConfirmHold: {
            /** @description Required for a hold that was made without one. */
            customer?: components["schemas"]["Visitor"];
            expect_price?: components["schemas"]["ExpectPriceField"];
        };
        /** @description true: the payment of a hold's deposit confirms the hold, if its customer is known. A booking has what the service said when it was made, or quoted anew. */
        ConfirmOnDepositField: boolean;
        Conflict: {
            booking: components["schemas"]["Booking"];
            /** @description Every reason. */
            conflicts: ("over_capacity" | "resource_archived" | "service_archived" | "outside_hours" | "closed" | "blocked" | "not_a_slot")[];
        };
        ConflictPage: {
            data: components["schemas"]["Conflict"][];
            /** @description Give it as cursor to get the next page; absent on the last one. */
            next_cursor?: string;
        };
        Contact: {
            /** @example ada@example.com */
            email: string;
            /**
             * @example de
             * @enum {string}
             */
            language?: "en" | "de" | "es";
            /** @example Ada Lovelace */
            name: string;
            /** @example +49 30 901820 */
            phone?: string;
            /** @example Europe/London */
            time_zone?: string;
        };
        /** @description A JSON Merge Patch: what is absent stays, null removes. Fields without a description are those of Identity. */
        CorrectTenant: {
            /** @example EUR */
            currency?: string;
            /** @example Harbour Tours */
            name?: string;
            /** @example harbour */
            slug?: string;
            /** @example Europe/Berlin */
            time_zone?: string;
        };
        CreateTransfer: {
            /**
             * Format: int64
             * @description Minor units of the wallet's currency.
             * @example 1000
             */
            amount: number;
            /**
             * Format: uuid
             * @description A wallet.
             */
            from: string;
            /** @example Goodwill */
            reason?: string;
            /** @example ticket 4711 */
            reference?: string;
            /**
             * Format: uuid
             * @description Another wallet of the same currency.
             */
            to: string;
        };
        CreateWallet: {
            /** @example EUR */
            currency: string;
            /**
             * Format: uuid
             * @description The customer who owns it. Without one, the wallet gets a code: a gift card.
             */
            customer_id?: string;
        };
        Credit: {
            /**
             * Format: int64
             * @description Minor units of the wallet's currency.
             * @example 1000
             */
            amount: number;
            /**
             * Format: date-time
             * @description When the credit ends unless it is spent or held; without it, never.
             * @example 2028-12-31T23:00:00Z
             */
            expires_at?: string;
            /** @example Goodwill */
            reason?: string;
            /** @example ticket 4711 */
            reference?: string;
        };
        CreditBatch: {
            /**
             * Format: int64
             * @example 500
             */
            amount: number;
            /** Format: date-time */
            expires_at: string;
        };
        Customer: {
            /**
             * Format: date-time
             * @description Since when lists leave the customer out; absent for one who is listed.
             */
            archived_at?: string;
            /**
             * Format: date
             * @example 1990-12-10
             */
            birthday?: string;
            /** Format: date-time */
            created_at: string;
            /**
             * @description Lower case; no other customer of the tenant has it.
             * @example ada@example.com
             */
            email?: string;
            /**
             * Format: date-time
             * @description When the personal data were erased.
             */
            erased_at?: string;
            /** Format: uuid */
            id: string;
            /**
             * Format: uuid
             * @description The customer that this one was merged into, and who has the personal data now.
             */
            merged_into?: string;
            /**
             * @description Absent of a customer who was erased or merged, as all personal data.
             * @example Ada Lovelace
             */
            name?: string;
            /** @example +49 30 901820 */
            phone?: string;
            /** @example Europe/London */
            time_zone?: string;
            /**
             * Format: date-time
             * @description Since when the customer gets no greetings and no follow-ups.
             */
            unsubscribed_at?: string;
            /**
             * Format: int64
             * @description Grows with every change; the ETag is its text.
             * @example 1
             */
            version: number;
        };
        /** @description Data is the customer after the change. */
        CustomerEvent: {
            data: components["schemas"]["Customer"] | components["schemas"]["ErasedCustomer"];
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            occurred_at: string;
            /** @example Ada, support */
            operator?: string;
            /**
             * Format: int64
             * @example 2
             */
            sequence: number;
            subject: components["schemas"]["EventSubject"];
            /** @enum {string} */
            type: "customer.birthday" | "customer.created" | "customer.erased" | "customer.updated";
        };
        CustomerExport: {
            /** @description By date. */
            bookings: components["schemas"]["Booking"][] | null;
            customer: components["schemas"]["Customer"];
            /** @description Of the customer, of customers who were merged into it, and of these and former bookings while they were the customer's, by time. */
            history: components["schemas"]["ExportedChange"][] | null;
            /** @description The lists that are cut here, after 1,000 rows or 4 MB. Page through the rest with the operations that list them. */
            more?: ("bookings" | "payments" | "wallets" | "wallet_entries" | "scheduled_events" | "history")[] | null;
            /** @description Of these bookings, and what the customer paid for bookings that somebody else has now, by their last change. */
            payments: components["schemas"]["ExportedPayment"][] | null;
            /** @description What is planned, and what was done, about the customer and these bookings, by time. */
            scheduled_events: components["schemas"]["ExportedEvent"][] | null;
            wallets: components["schemas"]["ExportedWallet"][] | null;
        };
        CustomerPage: {
            data: components["schemas"]["Customer"][];
            /** @description Give it as cursor to get the next page; absent on the last one. */
            next_cursor?: string;
        };
        CustomerSpec: {
            birthday?: components["schemas"]["BirthdayField"];
            email: components["schemas"]["EmailField"];
            name: components["schemas"]["NameField"];
            /** @example +49 30 901820 */
            phone?: string;
            /** @example Europe/London */
            time_zone?: string;
        };
        /**
         * Format: date
         * @description For a date service. A booking that moves keeps what isn't given of its time.
         * @example 2027-07-01
         */
        DateField: string;
        Day: {
            /** @description Whether the party can be booked on the date; of a stay, whether it can arrive on it for the nights that were asked for. */
            available: boolean;
            /**
             * Format: int64
             * @description For a date service and a stay: the units of the resources that are open.
             */
            capacity?: number;
            /**
             * Format: date
             * @example 2027-07-01
             */
            date: string;
            /**
             * Format: int64
             * @description For a date service and a stay: the largest party that still fits one booking. A publishable key is told no more than limits.units of the tenant's website.
             */
            largest_party?: number;
            /**
             * Format: int64
             * @description Of a stay: the most nights for which the party can stay from this date on; 0 if it can't arrive. A publishable key is told no more than limits.nights of the tenant's website.
             * @example 5
             */
            max_nights?: number;
            /**
             * @description Of a stay: for how many nights the party can stay from this date on; absent if for none. Some numbers may be missing between others: see arrival_rules. A publishable key is told no more than limits.nights of the tenant's website.
             * @example [
             *       2,
             *       3,
             *       4
             *     ]
             */
            nights?: number[];
            /**
             * Format: int64
             * @description For a date service and a stay: what the party would pay, in minor units; with prices=true, unless the service has unit types.
             */
            price?: number;
            /**
             * @description Why it can't; absent if it can. too_soon: it is over or within the lead time. too_late: beyond the booking window. closed: a closure. no_hours: nothing is open long enough. no_arrival: no stay of so many nights begins on this day of the week. sold_out, in_the_way: as of a slot; of several slots one reason is told.
             * @enum {string}
             */
            reason?: "too_soon" | "too_late" | "closed" | "no_hours" | "no_arrival" | "sold_out" | "in_the_way";
            /**
             * Format: int64
             * @description For a date service the units that are free, for a stay those that are free for all of it; for a slot service the slots that can still take the party. It counts the whole date, also where the date is continued on another page.
             */
            remaining: number;
            /** @description The slots of the date, taken ones included; empty for a date service, a stay, and with slots=false. */
            slots: components["schemas"]["Slot"][];
        };
        Debit: {
            /**
             * Format: int64
             * @description Minor units of the wallet's currency.
             * @example 1000
             */
            amount: number;
            /** @example Goodwill */
            reason?: string;
            /** @example ticket 4711 */
            reference?: string;
        };
        Delivery: {
            /**
             * Format: int64
             * @description How many attempts were made, since the last replay.
             */
            attempts: number;
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            endpoint_id: string;
            /** @description Why the last attempt failed, or why the delivery was cancelled. */
            error?: string;
            /**
             * Format: uuid
             * @description The id of the event, and the value of webhook-id.
             */
            event_id: string;
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            next_attempt_at?: string;
            /**
             * @description failed: it is tried again at next_attempt_at. dead: the last attempt failed.
             * @enum {string}
             */
            status: "pending" | "processing" | "completed" | "failed" | "dead" | "cancelled";
            /**
             * Format: uuid
             * @description Of deliveries to the operator: the tenant of the event.
             */
            tenant_id?: string;
            /** @example booking.created */
            type: string;
            /** Format: date-time */
            updated_at: string;
        };
        DeliveryAttempt: {
            /**
             * Format: int64
             * @description Counts from 1, and again from 1 after a replay.
             */
            attempt: number;
            error?: string;
            /**
             * @description Why no usable response came.
             * @enum {string}
             */
            failure?: "blocked_address" | "redirect" | "timeout" | "dns" | "connect" | "tls" | "protocol";
            /** Format: date-time */
            finished_at: string;
            request?: components["schemas"]["RequestLog"];
            /** @description Absent if no usable response came: see failure. */
            response?: components["schemas"]["ResponseLog"];
            /** Format: date-time */
            started_at: string;
            /**
             * @description The status of the delivery after the attempt.
             * @enum {string}
             */
            status: "completed" | "failed" | "dead" | "cancelled" | "pending";
            /**
             * Format: int64
             * @description How long the exchange took, in milliseconds.
             */
            took_ms: number;
        };
        DeliveryPage: {
            data: components["schemas"]["Delivery"][];
            /** @description Give it as cursor to get the next page; absent on the last one. */
            next_cursor?: string;
        };
        DeliveryWithLog: {
            /**
             * Format: int64
             * @description How many attempts were made, since the last replay.
             */
            attempts: number;
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            endpoint_id: string;
            /** @description Why the last attempt failed, or why the delivery was cancelled. */
            error?: string;
            /**
             * Format: uuid
             * @description The id of the event, and the value of webhook-id.
             */
            event_id: string;
            /** Format: uuid */
            id: string;
            /** @description The last 50 attempts, the newest first. */
            log: components["schemas"]["DeliveryAttempt"][];
            /** Format: date-time */
            next_attempt_at?: string;
            /**
             * @description failed: it is tried again at next_attempt_at. dead: the last attempt failed.
             * @enum {string}
             */
            status: "pending" | "processing" | "completed" | "failed" | "dead" | "cancelled";
            /**
             * Format: uuid
             * @description Of deliveries to the operator: the tenant of the event.
             */
            tenant_id?: string;
            /** @example booking.created */
            type: string;
            /** Format: date-time */
            updated_at: string;
        };
        Description: {
            /** @example Goodwill */
            reason?: string;
            /** @example ticket 4711 */
            reference?: string;
        };
        Difference: {
            /** @description As the provider has it; absent if it hasn't, or wasn't asked. */
            at_provider?: components["schemas"]["ReconciledTransfer"];
            /** @description As it is recorded here; absent if it isn't. */
            here?: components["schemas"]["ReconciledTransfer"];
            /**
             * @description How they differ. [What to do](/docs/payments#reconciliation)
             * @enum {string}
             */
            kind: "unknown_here" | "other_tenant" | "other_provider" | "other_account" | "account_unreachable" | "other_kind" | "other_movement" | "declined_here" | "amount" | "currency" | "not_at_provider" | "provider_not_configured" | "still_open" | "stuck" | "kept";
            /**
             * Format: uuid
             * @description The payment or refund; of unknown_here the one that the provider names. Of account_unreachable zeros, if it is about all of an account.
             */
            payment_id: string;
            /**
             * Format: uuid
             * @description The tenant that has the payment; of unknown_here the one that the provider names.
             */
            tenant_id: string;
        };
        Duration: {
            /**
             * Format: int64
             * @description Until the same time of day so many days later. Either this or minutes.
             */
            days?: number;
            /**
             * Format: int64
             * @description Either this or days.
             * @example 90
             */
            minutes?: number;
            /**
             * Format: int64
             * @description In place of the service's price and its rates'.
             * @example 8000
             */
            price?: number;
        };
        /**
         * Format: int64
         * @description In place of duration_minutes: until the same time of day so many days later.
         */
        DurationDaysField: number;
        /**
         * Format: int64
         * @description For a slot service that sells several durations: how long it lasts. A booking that moves keeps its own unless it is given.
         * @example 90
         */
        DurationMinutesField: number;
        Email: {
            /** @description The sender; without one no emails are sent. */
            from?: components["schemas"]["Address"];
            /** @description Templates of your own, in place of Holdfast's. */
            templates?: components["schemas"]["Template"][];
        };
        /**
         * @description Matches the customer within the tenant, whatever its case.
         * @example ada@example.com
         */
        EmailField: string;
        EmailPreview: {
            /**
             * Format: uuid
             * @description A booking to render it for; without it, sample data.
             */
            booking_id?: string;
            /** @example <p>Hello {{customer_name}}</p> */
            html?: string;
            /**
             * @description As of all parts: without it, that of the tenant's template, or of Holdfast's own.
             * @example See you soon, {{customer_name}}
             */
            subject?: string;
            /**
             * @description Kind of email.
             * @enum {string}
             */
            template: "booking.held" | "booking.confirmed" | "booking.rescheduled" | "booking.cancelled" | "booking.reminder" | "booking.follow_up" | "booking.anniversary" | "customer.birthday" | "payment.balance_due" | "payment.succeeded" | "payment.declined" | "payment.refunded";
            /** @example Hello {{customer_name}} */
            text?: string;
        };
        EmailPreviewResult: {
            html: string;
            subject: string;
            text: string;
        };
        EndpointWithSecret: {
            /** Format: date-time */
            created_at: string;
            description: string;
            /** @description Why the endpoint is not enabled. */
            disabled_reason?: string;
            /**
             * Format: date-time
             * @description When the first attempt failed after the last one that succeeded. After five days the endpoint is disabled.
             */
            failing_since?: string;
            /** Format: uuid */
            id: string;
            /**
             * @description Verify signatures with it. It is shown this once: a repeated request is answered without it. If you lost the response, replace the secret.
             * @example whsec_…
             */
            secret?: string;
            /**
             * @description gone: the endpoint answered 410.
             * @enum {string}
             */
            status: "enabled" | "disabled" | "gone";
            /**
             * @example [
             *       "booking.*"
             *     ]
             */
            types: string[];
            /** Format: date-time */
            updated_at: string;
            /** @example https://example.com/webhooks */
            url: string;
        };
        /** @description A customer who was erased since: the id is left. */
        ErasedCustomer: {
            /** Format: uuid */
            id: string;
        };
        /**
         * @description What happened, for programs. A code never changes its meaning, and new ones come: treat one that you don't know by the status. [All codes](/docs/errors), with what to do about each.
         * @enum {string}
         */
        ErrorCode: "already_exists" | "block_in_the_way" | "body_too_large" | "bookings_in_the_way" | "cell_required" | "cursor_expired" | "database_unavailable" | "deposit_due" | "erased" | "forbidden" | "hold_expired" | "idempotency_key_invalid" | "idempotency_key_missing" | "idempotency_key_reused" | "insufficient_funds" | "internal_error" | "invalid_state" | "lock_timeout" | "malformed_request" | "method_not_allowed" | "not_acceptable" | "not_found" | "outcome_unknown" | "outside_booking_window" | "outside_opening_hours" | "overloaded" | "overpayment" | "payment_account_not_ready" | "payment_declined" | "payment_in_progress" | "payments_not_configured" | "price_changed" | "provider_unavailable" | "rate_limited" | "refund_exceeds_payment" | "request_in_progress" | "request_timeout" | "shutting_down" | "slot_unavailable" | "tenant_moved" | "tenant_moving" | "tenant_suspended" | "too_many_dates" | "unauthenticated" | "unsupported_media_type" | "validation_failed" | "version_conflict" | "version_mismatch";
        Event: {
            /** @description The subject after the change, as the API shows it. Events of payments have the booking, with the payment or refund as payment. */
            data: {
                [key: string]: unknown;
            };
            /**
             * Format: uuid
             * @description The same wherever the event is delivered.
             */
            id: string;
            /** Format: date-time */
            occurred_at: string;
            /**
             * @description The name that the operator gave who made the change for the tenant. Absent of all other changes.
             * @example Ada, support
             */
            operator?: string;
            /**
             * Format: int64
             * @description The subject's version after the change. The changes of a booking, customer or wallet come in this order, without gaps. Notices, such as booking.reminder, change nothing and have the version of the last change.
             * @example 2
             */
            sequence: number;
            subject: components["schemas"]["EventSubject"];
            type: components["schemas"]["EventType"];
        };
        EventPage: {
            /** @description In the order of the feed. */
            data: components["schemas"]["Event"][];
            /** @description There may be more events already. */
            has_more: boolean;
            /** @description Always there, also on an empty page: keep it, and give it as after to read on, at once or later. */
            next_cursor: string;
        };
        EventRange: {
            /**
             * @description A cursor of the feed, or next_cursor of the replay before: only events that follow it.
             * @example AeJ9Yw4AAAAAAAAEsgGX8MY7fnwxil4NDF9rehA
             */
            after?: string;
            /**
             * Format: date-time
             * @description Only events that occurred then or later.
             * @example 2027-07-01T10:00:00Z
             */
            from?: string;
            /**
             * Format: date-time
             * @description Only events that occurred before.
             * @example 2027-07-02T10:00:00Z
             */
            to?: string;
        };
        EventSubject: {
            /** Format: uuid */
            id: string;
            /** @example booking */
            type: string;
        };
        /**
         * @description What happened. New types come: pass over those that you don't know.
         * @enum {string}
         */
        EventType: "block.archived" | "block.created" | "block.unarchived" | "block.updated" | "booking.anniversary" | "booking.cancelled" | "booking.completed" | "booking.confirmed" | "booking.created" | "booking.expired" | "booking.follow_up" | "booking.held" | "booking.no_show" | "booking.overpaid" | "booking.reminder" | "booking.rescheduled" | "booking.updated" | "closure.archived" | "closure.created" | "closure.unarchived" | "closure.updated" | "customer.birthday" | "customer.created" | "customer.erased" | "customer.updated" | "payment.balance_due" | "payment.declined" | "payment.refund_started" | "payment.refunded" | "payment.succeeded" | "resource.archived" | "resource.created" | "resource.hours_set" | "resource.unarchived" | "resource.updated" | "service.archived" | "service.created" | "service.unarchived" | "service.updated" | "wallet.captured" | "wallet.credited" | "wallet.debited" | "wallet.expired" | "wallet.held" | "wallet.opened" | "wallet.paid" | "wallet.refunded" | "wallet.released" | "wallet.transferred_in" | "wallet.transferred_out" | "webhook_endpoint.disabled" | "webhook.ping";
        /**
         * Format: int64
         * @description At this price, or not at all: the price that the booking has after the change, in minor units of its currency. For another one the answer is 409 price_changed with the price, and nothing changes.
         * @example 4500
         */
        ExpectPriceField: number;
        /** @description How much of what is available expires, and when; the soonest first. It is spent in this order, before credit that doesn't expire. */
        ExpiringField: components["schemas"]["CreditBatch"][];
        ExportedChange: {
            /** @example booking.rescheduled */
            action: string;
            /** @description The fields that changed, after the change; all fields where there is no before. */
            after?: {
                [key: string]: unknown;
            };
            /**
             * Format: uuid
             * @description The API key that asked for the change. Absent for the server's own work, such as the expiry of a hold, and for the operator's.
             */
            api_key_id?: string;
            /** @description The fields that changed, before the change. Absent for a creation, and for the oldest entry that is kept. */
            before?: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            occurred_at: string;
            /**
             * @description The name that the operator gave who made the change for the tenant.
             * @example Ada, support
             */
            operator?: string;
            /** @description The Request-Id of the request that asked for the change. */
            request_id?: string;
            /** Format: uuid */
            subject_id: string;
            /** @example booking */
            subject_type: string;
            /** @description The person who made the change in the console. */
            user?: components["schemas"]["Person"];
            /**
             * Format: int64
             * @description The subject's version after the change. A subject has one entry for each version.
             * @example 2
             */
            version: number;
        };
        ExportedEntry: {
            /**
             * Format: int64
             * @example 5000
             */
            amount: number;
            /**
             * Format: int64
             * @description After the entry.
             * @example 5000
             */
            balance: number;
            /** Format: uuid */
            booking_id?: string;
            /** Format: date-time */
            occurred_at: string;
            /** Format: uuid */
            payment_id?: string;
            /** @example goodwill */
            reason?: string;
            /** @example order-4711 */
            reference?: string;
            /** @example credited */
            type: string;
            /**
             * Format: int64
             * @example 2
             */
            version: number;
        };
        ExportedEvent: {
            /** Format: date-time */
            due_at: string;
            /** Format: uuid */
            id: string;
            /** @example message.email */
            kind: string;
            /**
             * @description Which of its kind and subject: for an email its kind and what it is about, for a greeting the year, for a reminder its times.
             * @example 1d@18:00/2027-07-01T08:00:00Z
             */
            occurrence?: string;
            /** @example completed */
            status: string;
            /** Format: uuid */
            subject_id: string;
            /** @example booking */
            subject_type: string;
            /**
             * Format: date-time
             * @description When it became so.
             */
            updated_at: string;
        };
        ExportedPayment: {
            /**
             * Format: int64
             * @description In minor units of the currency.
             * @example 50000
             */
            amount: number;
            /** @description A refund that Holdfast made by itself. */
            automatic?: boolean;
            /** Format: uuid */
            booking_id: string;
            /** Format: date-time */
            created_at: string;
            /** @example EUR */
            currency: string;
            /** Format: uuid */
            id: string;
            /** @example deposit */
            kind: string;
            /** @description Of the payment, as its request had them. Absent if somebody else paid. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * Format: date-time
             * @description Of offline money: when it was received or handed back.
             */
            moved_at?: string;
            /**
             * @description Of offline money: what was written when it was recorded.
             * @example Taken by Ann, receipt 4711
             */
            note?: string;
            /** @description The contact that the booking had when this was paid, as the receipt shows it. Absent if somebody else paid, and of refunds. */
            payer?: components["schemas"]["Contact"];
            /** @example pm_ok */
            payment_method?: string;
            /** @example stripe */
            provider: string;
            /** @example pi_3NqX */
            provider_id?: string;
            /** Format: uuid */
            refund_of?: string;
            /** @example succeeded */
            status: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: uuid */
            wallet_id?: string;
        };
        ExportedWallet: {
            /**
             * Format: int64
             * @description In minor units, with credit that has expired since the last entry.
             * @example 5000
             */
            balance: number;
            /** @example EUR */
            currency: string;
            /** @description The oldest first. */
            entries: components["schemas"]["ExportedEntry"][] | null;
            /**
             * Format: int64
             * @example 0
             */
            held: number;
            /** Format: uuid */
            id: string;
        };
        Extend: {
            /**
             * Format: int64
             * @description How long the hold lasts from now.
             * @example 15
             */
            hold_minutes: number;
        };
        FeeInput: {
            /**
             * Format: int64
             * @description What is kept, or due, of the price instead of what the cancellation policy says, at most the price; 0 waives it. Minor units of the booking's currency. It needs the scope money too.
             * @example 0
             */
            fee?: number;
        };
        /**
         * @description First date: a month and day of each year, or a date such as 2027-06-01.
         * @example 06-01
         */
        FromField: string;
        Greetings: {
            anniversary?: boolean;
            birthday?: boolean;
        };
        HistoryEntry: {
            /** @example booking.rescheduled */
            action: string;
            /** @description The fields that changed, after the change; all fields where there is no before. */
            after?: {
                [key: string]: unknown;
            };
            /**
             * Format: uuid
             * @description The API key that asked for the change. Absent for the server's own work, such as the expiry of a hold, and for the operator's.
             */
            api_key_id?: string;
            /** @description The fields that changed, before the change. Absent for a creation, and for the oldest entry that is kept. */
            before?: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            occurred_at: string;
            /**
             * @description The name that the operator gave who made the change for the tenant.
             * @example Ada, support
             */
            operator?: string;
            /** @description The Request-Id of the request that asked for the change. */
            request_id?: string;
            /** @description The person who made the change in the console. */
            user?: components["schemas"]["Person"];
            /**
             * Format: int64
             * @description The subject's version after the change. A subject has one entry for each version.
             * @example 2
             */
            version: number;
        };
        HistoryEntryPage: {
            data: components["schemas"]["HistoryEntry"][];
            /** @description Give it as cursor to get the next page; absent on the last one. */
            next_cursor?: string;
        };
        Hold: {
            /** @description What is kept, or due, of the price of a confirmed booking that is cancelled; {} if there is none: then the tenant decides what is refunded. A booking has the service's as of when it was made, or quoted anew. */
            cancellation_policy?: components["schemas"]["CancellationPolicy"];
            /**
             * Format: date
             * @description Of a stay: the check-out date. date is the check-in date.
             * @example 2027-07-04
             */
            check_out?: string;
            /**
             * @description A short name to be read over the phone.
             * @example K7MX2PQR
             */
            code: string;
            confirm_on_deposit?: components["schemas"]["ConfirmOnDepositField"];
            /**
             * Format: date-time
             * @description When it was confirmed.
             */
            confirmed_at?: string;
            /** @example EUR */
            currency: string;
            /**
             * Format: date
             * @description The civil date of starts_at in time_zone.
             * @example 2027-07-01
             */
            date: string;
            /**
             * Format: int64
             * @description What must be paid of the price before the hold can be confirmed.
             * @example 1000
             */
            deposit: number;
            /**
             * Format: int64
             * @description What is still to pay of the price.
             * @example 4500
             */
            due: number;
            /**
             * Format: date-time
             * @example 2027-07-01T11:00:00+02:00
             */
            ends_at: string;
            /**
             * Format: date-time
             * @description When the hold ends, or would have ended, by itself.
             */
            hold_expires_at?: string;
            /**
             * Format: uuid
             * @description Whoever knows it can go on with the hold: keep it in the visitor's browser, and out of URLs.
             */
            id: string;
            /** @description What the price is made of. */
            items: components["schemas"]["Item"][];
            nights?: components["schemas"]["NightsField"];
            /**
             * Format: int64
             * @example 0
             */
            paid: number;
            /** @description How many come of each unit type; absent if the service has none. */
            party?: {
                [key: string]: number;
            };
            /**
             * Format: int64
             * @example 2
             */
            party_size: number;
            /**
             * Format: int64
             * @description Minor units of currency.
             * @example 4500
             */
            price: number;
            /** Format: uuid */
            resource_id: string;
            /** @description All resources that it has, the first of them resource_id; absent if it has only that. */
            resource_ids?: string[] | null;
            /** Format: uuid */
            service_id: string;
            /**
             * Format: date-time
             * @example 2027-07-01T10:00:00+02:00
             */
            starts_at: string;
            /**
             * @example held
             * @enum {string}
             */
            status: "held" | "confirmed" | "completed" | "cancelled" | "expired" | "no_show";
            /** @example Europe/Berlin */
            time_zone: string;
            /**
             * Format: int64
             * @description Grows with every change; the ETag is its text.
             * @example 1
             */
            version: number;
        };
        HoldPayment: {
            account?: components["schemas"]["AccountField"];
            /** @description Where the visitor has to go for the payment to go on: the provider's page of a checkout, or the bank's. */
            action_url?: string;
            /**
             * Format: int64
             * @description Minor units of currency.
             * @example 1000
             */
            amount: number;
            /**
             * Format: date-time
             * @description With a payment that has no end yet: when it is cancelled if it has none by then.
             */
            cancel_at?: string;
            /** @description For the provider's own widget. */
            client_secret?: string;
            /** Format: date-time */
            created_at: string;
            /** @example EUR */
            currency: string;
            /** @example insufficient_funds */
            decline_code?: string;
            /** Format: uuid */
            id: string;
            /**
             * @example deposit
             * @enum {string}
             */
            kind: "deposit" | "balance" | "amount";
            /**
             * @description unknown: the provider was asked and has not answered; it is found out without you.
             * @example succeeded
             * @enum {string}
             */
            status: "started" | "unknown" | "processing" | "succeeded" | "declined";
            /** @description With a decline: a new payment with the same method may succeed later. */
            try_again?: boolean;
        };
        Hours: {
            /** @description true: open at all times, but for the overrides. Either this or weekly. */
            always_open?: boolean;
            /** @description Dates with hours of their own, in place of those that would begin on them. */
            overrides?: components["schemas"]["Override"][];
            /** @description Weekly hours of their own for parts of the year. The first season that has a date wins; overrides come before seasons. */
            seasons?: components["schemas"]["Season"][];
            /** @description An empty list is never open, but for the overrides. */
            weekly?: components["schemas"]["Weekly"][];
        };
        IssuedKey: {
            /** @example Till at the pier */
            name?: string;
            /** @description All if absent. No scope includes another one. */
            scopes?: ("catalog" | "hold" | "read" | "book" | "customers" | "money" | "admin")[];
        };
        Item: {
            /**
             * Format: int64
             * @description quantity times unit_price. The amounts add up to the booking's price.
             * @example 5000
             */
            amount: number;
            /**
             * Format: date
             * @description Of a stay: the first of these nights.
             * @example 2027-07-01
             */
            from?: string;
            /** @example Adult */
            name: string;
            /**
             * Format: int64
             * @description Of a stay: for how many nights it is, one after the other at the same price. quantity counts each of them.
             * @example 3
             */
            nights?: number;
            /**
             * Format: int64
             * @description Of a price per time: how many parts of price_per_minutes the booking has begun, if more than one. quantity counts each of them.
             * @example 3
             */
            periods?: number;
            /**
             * Format: int64
             * @example 2
             */
            quantity: number;
            /**
             * Format: date
             * @description Of a stay: the last of these nights.
             * @example 2027-07-03
             */
            to?: string;
            /**
             * Format: int64
             * @example 2500
             */
            unit_price: number;
            /**
             * @description The key of the service's unit type.
             * @example adult
             */
            unit_type?: string;
        };
        /** @description What the price is made of; empty for a booking that was made before there were items. */
        ItemsField: components["schemas"]["Item"][];
        LedgerTransaction: {
            /**
             * Format: int64
             * @description What can be spent.
             * @example 4000
             */
            available: number;
            /**
             * Format: int64
             * @description Minor units of currency, held amounts included.
             * @example 5000
             */
            balance: number;
            /** Format: date-time */
            created_at: string;
            /** @example EUR */
            currency: string;
            /**
             * Format: uuid
             * @description Absent for a wallet with a code.
             */
            customer_id?: string;
            entry: components["schemas"]["WalletEntry"];
            expiring: components["schemas"]["ExpiringField"];
            /**
             * Format: int64
             * @description What open holds keep.
             * @example 1000
             */
            held: number;
            /** @description The open holds, the oldest first. */
            holds: components["schemas"]["WalletHold"][];
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            updated_at: string;
            /**
             * Format: int64
             * @description The version of the last entry.
             * @example 3
             */
            version: number;
        };
        ListedPayment: {
            account?: components["schemas"]["AccountField"];
            /** @description Where the customer has to go for the payment to go on: the provider's page of a checkout, or the bank's. */
            action_url?: string;
            /**
             * Format: int64
             * @description Minor units of currency; above zero for a refund too.
             * @example 2500
             */
            amount: number;
            /**
             * Format: int64
             * @description Of a payment to account: what the platform keeps of amount. A refund gives it back in proportion.
             * @example 50
             */
            application_fee?: number;
            /** @description A refund that Holdfast made by itself: the hold ended, the booking ended by its cancellation policy, or the payment came too late, was too much, or had been answered with 402. */
            automatic: boolean;
            booking: components["schemas"]["PaidBooking"];
            /** Format: uuid */
            booking_id: string;
            /**
             * Format: date-time
             * @description With a payment that has no end yet: when it is cancelled if it has none by then. The page of a checkout ends then.
             */
            cancel_at?: string;
            /**
             * Format: uuid
             * @description Of a payment from a wallet: the payment beside which the wallet paid this part.
             */
            card_payment_id?: string;
            /** @description For the provider's own widget. */
            client_secret?: string;
            /** Format: date-time */
            created_at: string;
            /** @example EUR */
            currency: string;
            /** @example insufficient_funds */
            decline_code?: string;
            /** Format: uuid */
            id: string;
            /**
             * @example balance
             * @enum {string}
             */
            kind: "deposit" | "balance" | "amount" | "refund";
            /** @description true: lowers_owed is of the cancellation fee with which the booking had ended, and not of its price. */
            lowers_fee?: boolean;
            /**
             * Format: int64
             * @description Of a refund: by how much it lowers what the booking owes. The rest of amount was overpaid, or is owed again.
             * @example 0
             */
            lowers_owed?: number;
            /** @description As the request had it; the provider keeps it too. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description Of offline money: what was written when it was recorded.
             * @example Taken by Ann, receipt 4711
             */
            note?: string;
            /**
             * @description The provider's token of a payment method; offline: cash, transfer or terminal.
             * @example pm_ok
             */
            payment_method?: string;
            /**
             * @description wallet: it was paid from a wallet, or goes back to one. offline: no provider sees the money.
             * @example sandbox
             */
            provider: string;
            /** @description The provider's id of it. */
            provider_id?: string;
            /**
             * Format: date-time
             * @description Of an offline payment: when the money was received.
             */
            received_at?: string;
            /**
             * Format: uuid
             * @description The payment that this refund returns.
             */
            refund_of?: string;
            /**
             * Format: date-time
             * @description Of an offline refund: when the money was handed back. Absent while nobody has done so.
             */
            returned_at?: string;
            /**
             * @description unknown: the provider was asked and has not answered; it is found out without you. An offline refund is processing until you complete it.
             * @example succeeded
             * @enum {string}
             */
            status: "started" | "unknown" | "processing" | "succeeded" | "declined";
            /** @description With a decline: a new payment with the same method may succeed later. */
            try_again?: boolean;
            /** Format: date-time */
            updated_at: string;
            /**
             * Format: int64
             * @description What the wallet pays beside this payment: held while this payment has no end, paid once it has succeeded, given back otherwise. It isn't in amount.
             * @example 1000
             */
            wallet_amount?: number;
            /**
             * Format: uuid
             * @description The wallet that pays or is refunded, if provider is wallet; otherwise the wallet that pays a part beside this payment.
             */
            wallet_id?: string;
        };
        ListedPaymentPage: {
            data: components["schemas"]["ListedPayment"][];
            /** @description Give it as cursor to get the next page; absent on the last one. */
            next_cursor?: string;
        };
        Lock: {
            /**
             * Format: int32
             * @description The key's high half, as pg_locks shows it.
             * @example 1078945008
             */
            classid: number;
            holders: components["schemas"]["LockHolder"][];
            /**
             * @description The signed bigint, as text because many JSON readers round large numbers.
             * @example 4634033524858642013
             */
            key: string;
            /** @description What the key stands for: empty if that isn't known, several if names collide. */
            names: components["schemas"]["Name"][];
            /**
             * Format: int32
             * @description The key's low half.
             * @example 1316183645
             */
            objid: number;
            /**
             * Format: int64
             * @description 1 for a bigint key, 2 for two integers, which Holdfast doesn't use.
             * @example 1
             */
            objsubid: number;
            /** @description In the order in which they began to wait. */
            waiters: components["schemas"]["LockWaiter"][];
        };
        LockBlocker: {
            /** @example holdfast */
            application_name: string;
            /**
             * @description Empty over a Unix socket. Behind a pooler it is the pooler's.
             * @example 10.0.0.7
             */
            client_address: string;
            /**
             * @description What it holds that others wait for: an advisory lock's name, a table, or a row of a table.
             * @example [
             *       "table bookings"
             *     ]
             */
            locks: string[];
            /**
             * Format: int64
             * @description The longest of their waits.
             * @example 60010
             */
            longest_ms: number;
            pid: components["schemas"]["PidField"];
            query: components["schemas"]["QueryField"];
            /** @example active */
            state: string;
            /**
             * Format: int64
             * @description The age of its transaction. Absent if it has none, or if the login may not see it: GRANT pg_read_all_stats.
             * @example 61250
             */
            transaction_ms?: number;
            /** @example holdfast */
            user: string;
            /**
             * Format: int64
             * @description The sessions behind it, directly or behind one another.
             * @example 15
             */
            waiting: number;
        };
        LockHolder: {
            /** @example holdfast */
            application_name: string;
            /**
             * @description Empty over a Unix socket. Behind a pooler it is the pooler's.
             * @example 10.0.0.7
             */
            client_address: string;
            /**
             * Format: int64
             * @description The age of the transaction, or, for a session lock, of the connection: PostgreSQL doesn't keep when a lock was granted. Absent if neither is known.
             * @example 2503
             */
            held_at_most_ms?: number;
            pid: components["schemas"]["PidField"];
            query: components["schemas"]["QueryField"];
            shared: boolean;
            /** @example active */
            state: string;
            /** @example holdfast */
            user: string;
        };
        LockLink: {
            /** @example holdfast */
            application_name: string;
            /**
             * @description Empty over a Unix socket. Behind a pooler it is the pooler's.
             * @example 10.0.0.7
             */
            client_address: string;
            pid: components["schemas"]["PidField"];
            query: components["schemas"]["QueryField"];
            /** @example active */
            state: string;
            /** @example holdfast */
            user: string;
            /**
             * Format: int64
             * @description 0 if it waits for nobody.
             * @example 1509
             */
            waiting_ms: number;
            /**
             * @description The name, or else the key, of the advisory lock that it awaits, or the table or row; absent for who waits for nobody.
             * @example 01890a5d-ac96-774b-bcce-b302099a8057:2026-07-14
             */
            waits_for?: string;
        };
        LockWaiter: {
            /** @example holdfast */
            application_name: string;
            /** @description The processes that hold the lock or stand ahead in the queue. */
            blocked_by: number[];
            /** @description The processes from this one to the one that must finish before anybody in between moves. */
            chain: number[];
            /**
             * @description Empty over a Unix socket. Behind a pooler it is the pooler's.
             * @example 10.0.0.7
             */
            client_address: string;
            pid: components["schemas"]["PidField"];
            query: components["schemas"]["QueryField"];
            shared: boolean;
            /** @example active */
            state: string;
            /** @example holdfast */
            user: string;
            /**
             * Format: int64
             * @example 1509
             */
            waiting_ms: number;
        };
        Locks: {
            /**
             * Format: date-time
             * @description The database's time.
             * @example 2027-07-01T08:30:00Z
             */
            at: string;
            /** @description The sessions that wait for nobody and that others wait for, whatever the lock: the one with most behind it first. */
            blockers: components["schemas"]["LockBlocker"][];
            /** @description Those that somebody holds or awaits: first the ones that are awaited, longest wait first. */
            locks: components["schemas"]["Lock"][];
            /** @description The chain behind the longest wait: that waiter first, at the end who must finish before anybody moves. Empty when nobody waits. */
            longest_wait: components["schemas"]["LockLink"][];
            /**
             * Format: int64
             * @description The sessions that wait for a lock, whatever it is: an advisory one, of a table, of a row.
             * @example 3
             */
            waiting: number;
        };
        Logo: {
            /**
             * @description The image in base64: a PNG or JPEG of at most 32768 bytes and 1024 pixels in width and in height.
             * @example iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAADklEQVR4nGKKAQQAAP//AGIAX6XnDlEAAAAASUVORK5CYII=
             */
            data: string;
        };
        MergeCustomerInput: {
            /**
             * Format: uuid
             * @description The customer that stays.
             */
            into: string;
        };
        Name: {
            /** @example 01890a5d-ac96-774b-bcce-b302099a8057:2026-07-14 */
            name: string;
            /**
             * @description The name's row in docs/locks-registry.md.
             * @example {tenant}:{date}
             */
            pattern: string;
            /**
             * Format: uuid
             * @description Absent for a lock of the whole database.
             */
            tenant_id?: string;
            /** @example harbour */
            tenant_slug?: string;
        };
        /**
         * @description Not blank, and without control characters.
         * @example Ada Lovelace
         */
        NameField: string;
        Need: {
            /**
             * @description Which of the resources that fit is taken; in_order if absent. in_order: the first of the list. in_turn: the one with the fewest bookings on the date; of equal ones the list begins one further each day. least_booked: the one with the least booked time on the date.
             * @enum {string}
             */
            choose?: "in_order" | "in_turn" | "least_booked";
            /** @description If no resource alone has the units, resources that follow each other in the list are taken together: as few as possible, and of those the first. Not with until_closing, and not for a session. */
            join?: boolean;
            resource_ids: string[];
            /**
             * Format: int64
             * @description How many units a booking takes of it; 1 if absent. Not for the first need: it takes the party, as occupies says.
             */
            units?: number;
        };
        /** @description What a booking needs at once, such as a room, a person and a device: one of each. A booking gets all or nothing. With several needs, slots start by the hours of the first need's resources; the others must be open and free meanwhile. */
        NeedsField: components["schemas"]["Need"][];
        NewApiKey: {
            /**
             * @description Shown this once: it is not stored, and a retried request is answered without it.
             * @example hf_…
             */
            api_key?: string;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When the key stops working, because another one replaced it.
             */
            expires_at?: string;
            /** Format: uuid */
            id: string;
            /**
             * Format: date-time
             * @description Known to about two minutes. Absent for a key that was not used yet.
             */
            last_used_at?: string;
            /** @example Till at the pier */
            name: string;
            /**
             * Format: date-time
             * @description When the key was revoked.
             */
            revoked_at?: string;
            /** @description What the key may do. No scope includes another one. */
            scopes: ("catalog" | "hold" | "read" | "book" | "customers" | "money" | "admin")[];
            /** Format: uuid */
            tenant_id: string;
        };
        NewBooking: {
            check_in?: components["schemas"]["CheckInField"];
            check_out?: components["schemas"]["CheckOutField"];
            /** @description Either this or customer_id; a hold may leave out both. The booking keeps it as it is given. It fills in what isn't known of the customer with this email. */
            customer?: components["schemas"]["NewCustomer"];
            /**
             * Format: uuid
             * @description Either this or customer.
             */
            customer_id?: string;
            date?: components["schemas"]["DateField"];
            duration_days?: components["schemas"]["DurationDaysField"];
            duration_minutes?: components["schemas"]["DurationMinutesField"];
            /**
             * @description What another system calls it.
             * @example shop-4711
             */
            external_reference?: string;
            /**
             * Format: int64
             * @description Makes a hold that expires by itself; without it the booking is confirmed at once.
             */
            hold_minutes?: number;
            /**
             * Format: uuid
             * @description The booking's id, if you choose it: a UUID that nothing of yours has. A second use, by whatever request, gets 409 already_exists.
             * @example 0197f0c6-3b7e-7c31-8a5e-0d0c5f6b7a11
             */
            id?: string;
            /** @description Anything of your own, up to 16 KiB. */
            metadata?: {
                [key: string]: unknown;
            };
            /** @description Of a service with unit types: how many come of each, by its key. party_size becomes the sum of those that count. */
            party?: {
                [key: string]: number;
            };
            /**
             * Format: int64
             * @description Units that the booking takes; 1 if absent. Of a service with unit types give party instead.
             */
            party_size?: number;
            /**
             * @description Your own name of it.
             * @example Wedding Miller
             */
            reference?: string;
            resource_id?: components["schemas"]["ResourceIdField"];
            resource_ids?: components["schemas"]["ResourceIdsField"];
            /**
             * Format: uuid
             * @example 0197f0c6-3b7e-7c31-8a5e-0d0c5f6b7a10
             */
            service_id: string;
            starts_at?: components["schemas"]["StartsAtField"];
            update_customer?: components["schemas"]["UpdateCustomerField"];
        };
        NewCustomer: {
            birthday?: components["schemas"]["BirthdayField"];
            email: components["schemas"]["EmailField"];
            /**
             * @description Of emails about this booking; without it they are in the first language of the booking page. It stays with the booking.
             * @example de
             * @enum {string}
             */
            language?: "en" | "de" | "es";
            name: components["schemas"]["NameField"];
            /** @example +49 30 901820 */
            phone?: string;
            /** @example Europe/London */
            time_zone?: string;
        };
        NewEndpoint: {
            /** @example Production */
            description?: string;
            /** @description Types of the events: exact, such as booking.created, a group such as booking.*, or *. */
            types: string[];
            /**
             * @description An https URL on the public internet.
             * @example https://example.com/webhooks
             */
            url: string;
        };
        NewHold: {
            check_in?: components["schemas"]["CheckInField"];
            check_out?: components["schemas"]["CheckOutField"];
            /** @description Who books. It may be given when the hold is confirmed; a service whose holds are confirmed by their deposit needs it before. */
            customer?: components["schemas"]["Visitor"];
            date?: components["schemas"]["DateField"];
            duration_days?: components["schemas"]["DurationDaysField"];
            duration_minutes?: components["schemas"]["DurationMinutesField"];
            /**
             * Format: int64
             * @description How long the hold lasts; 15 if absent.
             * @example 15
             */
            hold_minutes?: number;
            /** @description Of a service with unit types: how many come of each, by its key. */
            party?: {
                [key: string]: number;
            };
            /**
             * Format: int64
             * @description Units that the booking takes; 1 if absent. Of a service with unit types give party instead.
             */
            party_size?: number;
            resource_id?: components["schemas"]["ResourceIdField"];
            resource_ids?: components["schemas"]["ResourceIdsField"];
            /**
             * Format: uuid
             * @example 0197f0c6-3b7e-7c31-8a5e-0d0c5f6b7a10
             */
            service_id: string;
            starts_at?: components["schemas"]["StartsAtField"];
        };
        NewHoldPayment: {
            /** @description Instead of payment_method: the visitor pays on the provider's page, and comes back to a page of an origin in website.origins. */
            checkout?: components["schemas"]["Checkout"];
            /**
             * @description deposit takes what is due of the deposit, balance all that is due of the price.
             * @example deposit
             * @enum {string}
             */
            kind: "deposit" | "balance";
            /**
             * @description The payment provider's token of a payment method, such as that of Stripe Elements. The sandbox knows pm_ok, pm_declined and others. Required without checkout.
             * @example pm_ok
             */
            payment_method?: string;
        };
        NewKey: {
            /** @example Till at the pier */
            name: string;
            /** @description What the key may do. No scope includes another one. */
            scopes: ("catalog" | "hold" | "read" | "book" | "customers" | "money" | "admin")[];
        };
        NewOnboardingLink: {
            /**
             * @description If the link was used before or is too old: ask there for another one, and send the business on.
             * @example https://example.com/account/onboarding
             */
            refresh_url: string;
            /**
             * @description After them; then read the account. https, or http on localhost, as of refresh_url.
             * @example https://example.com/account
             */
            return_url: string;
        };
        NewPayment: {
            /**
             * Format: int64
             * @description Minor units of the booking's currency; only with kind amount.
             * @example 2500
             */
            amount?: number;
            /** @description Instead of payment_method: the customer pays on the provider's page. */
            checkout?: components["schemas"]["Checkout"];
            /**
             * @description deposit and balance take what is due of them; amount takes the amount.
             * @example balance
             * @enum {string}
             */
            kind: "deposit" | "balance" | "amount";
            /** @description Texts of your own by name, kept with the payment here and at the provider: at most 20 of at most 500 characters each; names have at most 40 letters, digits, points, hyphens and underscores. tenant_id, payment_id, refund_id, checkout and names that begin with holdfast_ are reserved. */
            metadata?: {
                [key: string]: string;
            };
            /** @description Instead of payment_method, checkout and wallet_id: you have received the money, and no provider sees it. */
            offline?: components["schemas"]["OfflinePayment"];
            /**
             * @description The payment provider's token of a payment method. The sandbox knows pm_ok, pm_declined and others. Required without checkout, wallet_id and offline.
             * @example pm_ok
             */
            payment_method?: string;
            /**
             * Format: int64
             * @description With wallet_id and payment_method or checkout: the wallet pays at most this.
             * @example 1000
             */
            wallet_amount?: number;
            /**
             * Format: uuid
             * @description A wallet that pays: all, or with a payment_method or a checkout as much as it has; these then pay the rest.
             */
            wallet_id?: string;
        };
        NewPaymentAccount: {
            /**
             * @description Where the business is, as ISO 3166-1 alpha-2. It can't be changed later. Without it, the country of the platform's account.
             * @example DE
             */
            country?: string;
        };
        NewQuote: {
            /** @description Of a move: true: it gets one of the service's resources, chosen as for a new booking. Leave out resource_id and resource_ids then. */
            any_resource?: boolean;
            /**
             * Format: uuid
             * @description The booking that would move. It needs the scope read too. Without it a new booking is priced.
             */
            booking_id?: string;
            check_in?: components["schemas"]["CheckInField"];
            check_out?: components["schemas"]["CheckOutField"];
            date?: components["schemas"]["DateField"];
            duration_days?: components["schemas"]["DurationDaysField"];
            duration_minutes?: components["schemas"]["DurationMinutesField"];
            /**
             * Format: int64
             * @description Of a new booking: it would be a hold.
             */
            hold_minutes?: number;
            /** @description How many come of each unit type, by its key. */
            party?: {
                [key: string]: number;
            };
            /**
             * Format: int64
             * @description Of a service with unit types give party instead. Absent, it is 1, or that of the booking that moves.
             */
            party_size?: number;
            /**
             * @description Of a move: keep, as without it: price, items, deposit and cancellation policy stay. quote: the service's rules make them anew.
             * @enum {string}
             */
            price?: "keep" | "quote";
            resource_id?: components["schemas"]["ResourceIdField"];
            resource_ids?: components["schemas"]["ResourceIdsField"];
            /**
             * Format: uuid
             * @description Required of a new booking. Of a move: another service.
             */
            service_id?: string;
            starts_at?: components["schemas"]["StartsAtField"];
        };
        NewRefund: {
            /**
             * Format: int64
             * @description Minor units of the payment's currency; without it, all that is left of the payment.
             * @example 1000
             */
            amount?: number;
            /** @description You have handed the money back, and no provider sees it. Required of a payment that was received offline; of any other it may say so, for example if its provider has declined the refund. */
            offline?: components["schemas"]["OfflineRefund"];
            /** @description true: the customer owes the amount again, and will pay in another way. Otherwise the refund lowers what the booking owes by what wasn't overpaid of it, so that due doesn't rise. */
            owed_again?: boolean;
        };
        NewTenant: {
            /**
             * @description ISO 4217.
             * @example EUR
             */
            currency: string;
            /** @example Harbour Tours */
            name: string;
            /**
             * @description Unique name for people and logs.
             * @example harbour
             */
            slug: string;
            /**
             * @description IANA time zone in which the tenant's dates lie.
             * @example Europe/Berlin
             */
            time_zone: string;
        };
        NewWallet: {
            /**
             * Format: int64
             * @description What can be spent.
             * @example 4000
             */
            available: number;
            /**
             * Format: int64
             * @description Minor units of currency, held amounts included.
             * @example 5000
             */
            balance: number;
            /**
             * @description Of a wallet without a customer. It is shown this once: a repeated request is answered without it.
             * @example 7Q2M-4KXR-9D0T-HC3V-B8NE
             */
            code?: string;
            /** Format: date-time */
            created_at: string;
            /** @example EUR */
            currency: string;
            /**
             * Format: uuid
             * @description Absent for a wallet with a code.
             */
            customer_id?: string;
            expiring: components["schemas"]["ExpiringField"];
            /**
             * Format: int64
             * @description What open holds keep.
             * @example 1000
             */
            held: number;
            /** @description The open holds, the oldest first. */
            holds: components["schemas"]["WalletHold"][];
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            updated_at: string;
            /**
             * Format: int64
             * @description The version of the last entry.
             * @example 3
             */
            version: number;
        };
        /**
         * Format: int64
         * @description Of a stay: how many nights it has. A date that clocks skip has none.
         * @example 3
         */
        NightsField: number;
        /**
         * @description What a booking takes of its resource; units if absent. units: as many as its party has; others can book the rest. whole: all of it. session: the first booking of a start takes all of it for that time, and later bookings of the same start join it while there are seats, as many as the resource has units; buffers count once, and the last booking that leaves frees it.
         * @enum {string}
         */
        OccupiesField: "units" | "whole" | "session";
        OfflineDays: {
            /**
             * Format: date-time
             * @description The first moment of the period.
             */
            from: string;
            /** @description By date, method and currency. A date without such money has none. */
            sums: components["schemas"]["OfflineSum"][];
            /**
             * Format: date-time
             * @description The first moment after the period.
             */
            until: string;
        };
        OfflinePayment: {
            /**
             * @description transfer: to your bank account. terminal: by card, at a terminal of your own.
             * @example cash
             * @enum {string}
             */
            method: "cash" | "transfer" | "terminal";
            /**
             * @description Who took the money, or the number of a receipt. Erased with the customer.
             * @example Taken by Ann, receipt 4711
             */
            note: string;
            /**
             * Format: date-time
             * @description When you received it, at most 366 days ago; without it, now.
             * @example 2027-07-01T10:00:00Z
             */
            received_at?: string;
        };
        OfflineRefund: {
            /**
             * @description How it was handed back; without it, as it was received. Required of a payment that wasn't received offline.
             * @example cash
             * @enum {string}
             */
            method?: "cash" | "transfer" | "terminal";
            /**
             * @description Who handed the money back, or the number of a receipt. Erased with the customer.
             * @example Handed back by Ann
             */
            note: string;
            /**
             * Format: date-time
             * @description When you handed it back, at most 366 days ago; without it, now.
             * @example 2027-07-02T10:00:00Z
             */
            returned_at?: string;
        };
        OfflineSum: {
            /** @example EUR */
            currency: string;
            /**
             * Format: date
             * @description In the tenant's time zone: when the money was received or handed back.
             * @example 2027-07-01
             */
            date: string;
            /**
             * @example cash
             * @enum {string}
             */
            method: "cash" | "transfer" | "terminal";
            /**
             * Format: int64
             * @description How many payments and refunds these are.
             * @example 5
             */
            payments: number;
            /**
             * Format: int64
             * @description Minor units of currency.
             * @example 12000
             */
            received: number;
            /**
             * Format: int64
             * @description What was handed back. An open refund isn't in it.
             * @example 2000
             */
            refunded: number;
        };
        OnboardingLink: {
            /** Format: date-time */
            expires_at: string;
            /**
             * @description For the business alone: whoever has it acts as the business. Send the business there at once, and don't keep it.
             * @example https://connect.stripe.com/setup/e/acct_1OxYz2/a1b2c3
             */
            url: string;
        };
        OperatorEvent: {
            /** @description The subject after the change, as the API shows it. Events of payments have the booking, with the payment or refund as payment. */
            data: {
                [key: string]: unknown;
            };
            /**
             * Format: uuid
             * @description The same wherever the event is delivered.
             */
            id: string;
            /** Format: date-time */
            occurred_at: string;
            /**
             * @description The name that the operator gave who made the change for the tenant. Absent of all other changes.
             * @example Ada, support
             */
            operator?: string;
            /**
             * Format: int64
             * @description The subject's version after the change. The changes of a booking, customer or wallet come in this order, without gaps. Notices, such as booking.reminder, change nothing and have the version of the last change.
             * @example 2
             */
            sequence: number;
            subject: components["schemas"]["EventSubject"];
            /** Format: uuid */
            tenant_id: string;
            /** @example booking.confirmed */
            type: string;
        };
        OperatorEventPage: {
            /** @description In the order of the feed. */
            data: components["schemas"]["OperatorEvent"][];
            /** @description There may be more events already. */
            has_more: boolean;
            /** @description Always there, also on an empty page: keep it, and give it as after to read on, at once or later. */
            next_cursor: string;
        };
        OperatorPayment: {
            account?: components["schemas"]["AccountField"];
            /**
             * Format: int64
             * @description Minor units.
             */
            amount: number;
            /** @description A refund that the server made by itself. */
            automatic: boolean;
            /** Format: uuid */
            booking_id: string;
            /** Format: date-time */
            created_at: string;
            /** @example EUR */
            currency: string;
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "deposit" | "balance" | "amount" | "refund";
            /** @example stripe */
            provider: string;
            /** @description The provider's id, once it is known. */
            provider_id?: string;
            /**
             * Format: uuid
             * @description The payment that this refund returns.
             */
            refund_of?: string;
            /** @enum {string} */
            status: "started" | "unknown" | "processing" | "succeeded" | "declined";
            /** Format: uuid */
            tenant_id: string;
            /** Format: date-time */
            updated_at: string;
        };
        OperatorPaymentPage: {
            data: components["schemas"]["OperatorPayment"][];
            /** @description Give it as cursor to get the next page; absent on the last one. */
            next_cursor?: string;
        };
        OperatorTenant: {
            /** Format: date-time */
            created_at: string;
            /**
             * @description ISO 4217.
             * @example EUR
             */
            currency: string;
            /** Format: uuid */
            id: string;
            /** @example Harbour Tours */
            name: string;
            /**
             * @description Unique name for people and logs.
             * @example harbour
             */
            slug: string;
            /**
             * @description suspended: its API keys are refused. deleting: all that it has is being deleted. deleted: nothing is left but its id.
             * @enum {string}
             */
            status: "active" | "suspended" | "deleting" | "deleted";
            /**
             * @description Why the tenant is suspended, for the operator.
             * @example Invoice 4711 is unpaid.
             */
            status_reason?: string;
            /**
             * Format: date-time
             * @description Since when it has the status.
             */
            status_since: string;
            /**
             * @description IANA time zone in which the tenant's dates lie.
             * @example Europe/Berlin
             */
            time_zone: string;
            /**
             * Format: int64
             * @description Grows with every change of the tenant and of its settings; the ETag is its text.
             * @example 1
             */
            version: number;
        };
        OperatorTenantPage: {
            data: components["schemas"]["OperatorTenant"][];
            /** @description Give it as cursor to get the next page; absent on the last one. */
            next_cursor?: string;
        };
        Options: {
            /**
             * @description The tenant's account at the provider: a page makes payment methods in it, with Stripe.js by stripeAccount. Absent if the platform's own takes the payments.
             * @example acct_1OxYz2
             */
            account?: string;
            /**
             * @description Absent if this server takes no payments.
             * @example stripe
             */
            provider?: string;
            /** @description false: payments are refused now, with payment_account_not_ready or payments_not_configured, so what has a deposit can't be booked. */
            ready: boolean;
        };
        Override: {
            /** @description Either this or opens and closes. */
            closed?: boolean;
            /** @example 14:00 */
            closes?: string;
            /**
             * Format: date
             * @example 2027-12-24
             */
            date: string;
            /** @example 10:00 */
            opens?: string;
        };
        OwnerEmail: {
            /** @example office@harbour.example */
            email: string;
            /**
             * @description What it is told of.
             * @example [
             *       "booking.confirmed"
             *     ]
             */
            types: ("booking.confirmed" | "booking.cancelled" | "booking.rescheduled" | "payment.succeeded" | "payment.declined" | "payment.refunded")[];
        };
        PaidBooking: {
            /** @example K7MX2PQR */
            code: string;
            /** @example shop-4711 */
            external_reference: string | null;
            /** @example Wedding Miller */
            reference: string | null;
        };
        /** @description How many come of a unit type; types that it does not name stay, and 0 takes one out. It is what the price is made of, so a change needs price quote. */
        PartyField: {
            [key: string]: number;
        };
        Payment: {
            account?: components["schemas"]["AccountField"];
            /** @description Where the customer has to go for the payment to go on: the provider's page of a checkout, or the bank's. */
            action_url?: string;
            /**
             * Format: int64
             * @description Minor units of currency; above zero for a refund too.
             * @example 2500
             */
            amount: number;
            /**
             * Format: int64
             * @description Of a payment to account: what the platform keeps of amount. A refund gives it back in proportion.
             * @example 50
             */
            application_fee?: number;
            /** @description A refund that Holdfast made by itself: the hold ended, the booking ended by its cancellation policy, or the payment came too late, was too much, or had been answered with 402. */
            automatic: boolean;
            /** Format: uuid */
            booking_id: string;
            /**
             * Format: date-time
             * @description With a payment that has no end yet: when it is cancelled if it has none by then. The page of a checkout ends then.
             */
            cancel_at?: string;
            /**
             * Format: uuid
             * @description Of a payment from a wallet: the payment beside which the wallet paid this part.
             */
            card_payment_id?: string;
            /** @description For the provider's own widget. */
            client_secret?: string;
            /** Format: date-time */
            created_at: string;
            /** @example EUR */
            currency: string;
            /** @example insufficient_funds */
            decline_code?: string;
            /** Format: uuid */
            id: string;
            /**
             * @example balance
             * @enum {string}
             */
            kind: "deposit" | "balance" | "amount" | "refund";
            /** @description true: lowers_owed is of the cancellation fee with which the booking had ended, and not of its price. */
            lowers_fee?: boolean;
            /**
             * Format: int64
             * @description Of a refund: by how much it lowers what the booking owes. The rest of amount was overpaid, or is owed again.
             * @example 0
             */
            lowers_owed?: number;
            /** @description As the request had it; the provider keeps it too. */
            metadata?: {
                [key: string]: string;
            };
            /**
             * @description Of offline money: what was written when it was recorded.
             * @example Taken by Ann, receipt 4711
             */
            note?: string;
            /**
             * @description The provider's token of a payment method; offline: cash, transfer or terminal.
             * @example pm_ok
             */
            payment_method?: string;
            /**
             * @description wallet: it was paid from a wallet, or goes back to one. offline: no provider sees the money.
             * @example sandbox
             */
            provider: string;
            /** @description The provider's id of it. */
            provider_id?: string;
            /**
             * Format: date-time
             * @description Of an offline payment: when the money was received.
             */
            received_at?: string;
            /**
             * Format: uuid
             * @description The payment that this refund returns.
             */
            refund_of?: string;
            /**
             * Format: date-time
             * @description Of an offline refund: when the money was handed back. Absent while nobody has done so.
             */
            returned_at?: string;
            /**
             * @description unknown: the provider was asked and has not answered; it is found out without you. An offline refund is processing until you complete it.
             * @example succeeded
             * @enum {string}
             */
            status: "started" | "unknown" | "processing" | "succeeded" | "declined";
            /** @description With a decline: a new payment with the same method may succeed later. */
            try_again?: boolean;
            /** Format: date-time */
            updated_at: string;
            /**
             * Format: int64
             * @description What the wallet pays beside this payment: held while this payment has no end, paid once it has succeeded, given back otherwise. It isn't in amount.
             * @example 1000
             */
            wallet_amount?: number;
            /**
             * Format: uuid
             * @description The wallet that pays or is refunded, if provider is wallet; otherwise the wallet that pays a part beside this payment.
             */
            wallet_id?: string;
        };
        PaymentAccount: {
            /**
             * @description The provider's id; absent without an account.
             * @example acct_1OxYz2
             */
            account_id?: string;
            /**
             * Format: int64
             * @description What the platform keeps of each payment to the account, in hundredths of a percent, rounded down.
             * @example 150
             */
            application_fee_basis_points: number;
            /** @description What the account has is paid out to the business's bank. */
            can_be_paid_out: boolean;
            /** @description The account takes payments. */
            can_charge: boolean;
            /**
             * @description platform: there is no account, and the platform's takes the tenant's payments. nowhere: the account can't take payments yet, and new ones are refused with payment_account_not_ready.
             * @enum {string}
             */
            payments_go_to: "platform" | "account" | "nowhere";
            /** @example stripe */
            provider: string;
            /**
             * Format: date-time
             * @description When the provider was asked.
             */
            refreshed_at?: string;
            /**
             * @description Topics of what the provider wants to know now: give the business an onboarding link. disconnected: the business has ended the platform's access.
             * @example [
             *       "business_profile",
             *       "external_account"
             *     ]
             */
            requirements: string[];
        };
        PaymentEmails: {
            /** @description Ten minutes after a payment was declined, if the booking isn't paid by then. */
            declined?: boolean;
            /** @description A notice of each refund. */
            refunded?: boolean;
            /** @description A receipt of each payment. */
            succeeded?: boolean;
        };
        /** @description Data is the booking after the change, with the payment or refund as payment. */
        PaymentEvent: {
            data: components["schemas"]["BookingWithPayment"];
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            occurred_at: string;
            /** @example Ada, support */
            operator?: string;
            /**
             * Format: int64
             * @example 2
             */
            sequence: number;
            subject: components["schemas"]["EventSubject"];
            /** @enum {string} */
            type: "payment.balance_due" | "payment.declined" | "payment.refund_started" | "payment.refunded" | "payment.succeeded";
        };
        PaymentPage: {
            data: components["schemas"]["Payment"][];
            /** @description Give it as cursor to get the next page; absent on the last one. */
            next_cursor?: string;
        };
        Person: {
            /** Format: uuid */
            id: string;
            /**
             * @description Also of a user who was removed.
             * @example Ada Lovelace
             */
            name?: string;
        };
        /**
         * Format: int64
         * @description The backend's process; 0 for a prepared transaction.
         * @example 11352
         */
        PidField: number;
        /** @description Data is the endpoint. POST /v1/webhook-endpoints/{id}/ping asks for it; it isn't in the feed. */
        PingEvent: {
            data: components["schemas"]["WebhookEndpoint"];
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            occurred_at: string;
            /** @example Ada, support */
            operator?: string;
            /**
             * Format: int64
             * @example 2
             */
            sequence: number;
            subject: components["schemas"]["EventSubject"];
            /** @enum {string} */
            type: "webhook.ping";
        };
        /**
         * @description keep: price, items, deposit and cancellation policy stay. quote: the service's rules make them anew.
         * @default keep
         * @enum {string}
         */
        PriceField: "keep" | "quote";
        ProblemDocument: {
            /** @description With block_in_the_way: the other blocks. */
            block_ids?: string[] | null;
            /**
             * Format: int64
             * @description With bookings_in_the_way: how many bookings stand in the way.
             * @example 3
             */
            booking_count?: number;
            /** @description With bookings_in_the_way: the bookings that stand in the way, by their beginning; at most 100. */
            booking_ids?: string[] | null;
            code: components["schemas"]["ErrorCode"];
            /** @description With version_mismatch: what was to be changed as it is now, as GET shows it. The header ETag is its version. */
            current?: unknown;
            /**
             * @description With payment_declined: the provider's reason.
             * @example insufficient_funds
             */
            decline_code?: string;
            /** @description What happened this time, for people. */
            detail: string;
            /** @description The parts of the request that were refused. */
            errors?: components["schemas"]["ProblemField"][] | null;
            /**
             * Format: int64
             * @description With price_changed: what the cancellation would cost, in minor units of the booking's currency.
             * @example 2250
             */
            fee?: number;
            /**
             * Format: uuid
             * @description With payment_declined: the payment that was declined. With payment_in_progress: the payment or refund that is open. POST /v1/payments/{id}/cancel ends a payment; a refund ends by itself.
             */
            payment_id?: string;
            /**
             * Format: int64
             * @description With price_changed: the price that the booking would have, in minor units of its currency.
             * @example 4500
             */
            price?: number;
            /**
             * Format: int64
             * @description The HTTP status.
             */
            status: number;
            /** @description What the code means, in a few words. */
            title: string;
            /** @description With payment_declined: a new payment with the same method may succeed later. */
            try_again?: boolean;
            /**
             * Format: uri-reference
             * @description Where the code is explained.
             */
            type: string;
        };
        ProblemField: {
            /** @description Why it was refused, such as required. */
            code: string;
            /** @description Why it was refused, for people. */
            detail: string;
            /** @description Path of the field, such as customer.email. */
            field: string;
        };
        PublicBookingPage: {
            /**
             * @description Where people come: at the end of each page and email, and the place of calendar entries.
             * @example Pier 7, 20457 Hamburg
             */
            address?: string;
            /**
             * @description Of buttons and of what is chosen. Text on it is black or white, whichever is easier to read.
             * @example #0b5cad
             */
            colour?: string;
            /**
             * @description How people reach you; at the end of each page.
             * @example Pier 7, +49 40 1234
             */
            contact?: string;
            /**
             * @description What customers may do with their bookings by themselves: move and cancel them (all, as if absent), cancel them, or nothing.
             * @enum {string}
             */
            customer_changes?: "all" | "cancel" | "none";
            /**
             * @description Sites that may show the page in a frame: scheme, host and port. No other one can.
             * @example [
             *       "https://www.harbour.example"
             *     ]
             */
            embed_origins?: string[];
            /** @description true: people book at /book/{slug}, and the links in emails lead them to their bookings. */
            enabled?: boolean;
            /**
             * Format: int64
             * @description For how long a time is held while its customer fills in the form; 15 if absent.
             * @example 15
             */
            hold_minutes?: number;
            /**
             * @description Stands above the services.
             * @example Tours of the harbour since 1987.
             */
            introduction?: string;
            /** @description What the page is offered in; the first is for people who want another one. All, with English first, if absent. */
            languages?: ("en" | "de" | "es")[];
            /** @description The services that the page sells, in this order; all that aren't archived if absent. */
            service_ids?: string[];
            /**
             * @description Your terms, as text. Whoever books has to accept them. Without them nobody is asked.
             * @example We sail in any weather but storm.
             */
            terms?: string;
        };
        /**
         * @description What runs, or ran last, up to 1000 characters, without parameters.
         * @example COMMIT
         */
        QueryField: string;
        Quote: {
            /** @description Whether the booking, or the move, would be accepted now. It may be refused a moment later. */
            available: boolean;
            /** @description Of a move: the booking's money as it is now. */
            before?: components["schemas"]["QuotedMoney"];
            /** @description What is kept, or due, of the price of a confirmed booking that is cancelled; {} if there is none: then the tenant decides what is refunded. A booking has the service's as of when it was made, or quoted anew. */
            cancellation_policy?: components["schemas"]["CancellationPolicy"];
            /**
             * Format: date
             * @description Of a stay: the check-out date. date is the check-in date.
             * @example 2027-07-04
             */
            check_out?: string;
            confirm_on_deposit?: components["schemas"]["ConfirmOnDepositField"];
            /** @example EUR */
            currency: string;
            /**
             * Format: date
             * @description The civil date of starts_at in time_zone.
             * @example 2027-07-01
             */
            date: string;
            /**
             * Format: int64
             * @example 1000
             */
            deposit: number;
            /**
             * Format: int64
             * @description What would still be to pay.
             * @example 3500
             */
            due: number;
            /**
             * Format: date-time
             * @description If it isn't available, and lasts until its resource closes: when the last of the resources closes.
             * @example 2027-07-01T11:00:00+02:00
             */
            ends_at: string;
            /**
             * Format: date-time
             * @description Of a new hold: when it would end if it were made now. Of a move: the booking's, which stays.
             */
            hold_expires_at?: string;
            items: components["schemas"]["ItemsField"];
            nights?: components["schemas"]["NightsField"];
            /**
             * Format: int64
             * @description What would be paid too much after a move.
             * @example 0
             */
            overpaid: number;
            /** @description How many come of each unit type; absent if the service has none. */
            party?: {
                [key: string]: number;
            };
            /**
             * Format: int64
             * @example 2
             */
            party_size: number;
            /**
             * Format: int64
             * @description Minor units of currency.
             * @example 4500
             */
            price: number;
            /** @description Why it would be refused now; absent if it is available. */
            reason?: components["schemas"]["Refusal"];
            /**
             * Format: uuid
             * @description The resource that it would get now; absent if it isn't available.
             */
            resource_id?: string;
            /** @description All resources that it would get now; absent if that is only resource_id. */
            resource_ids?: string[] | null;
            /** Format: uuid */
            service_id: string;
            /**
             * Format: date-time
             * @example 2027-07-01T10:00:00+02:00
             */
            starts_at: string;
            /** @example Europe/Berlin */
            time_zone: string;
        };
        QuotedMoney: {
            /**
             * Format: int64
             * @example 1000
             */
            deposit: number;
            /**
             * Format: int64
             * @example 3000
             */
            due: number;
            /**
             * Format: int64
             * @example 0
             */
            overpaid: number;
            /**
             * Format: int64
             * @example 4000
             */
            price: number;
        };
        Range: {
            /**
             * Format: int64
             * @description How many events are delivered again. At most 10000 at once.
             */
            deliveries: number;
            /** @description Give it as after to replay the rest of the range, if any. Absent if fewer than 10000 events are delivered again. */
            next_cursor?: string;
        };
        Rate: {
            /**
             * Format: int64
             * @description In place of the service's deposit or deposit_percent.
             * @example 1500
             */
            deposit?: number;
            /** @description Prices of durations, in place of their own. */
            durations?: components["schemas"]["Duration"][];
            /**
             * Format: date
             * @description First date.
             * @example 2027-06-01
             */
            from?: string;
            /**
             * Format: int64
             * @description In place of the service's price.
             * @example 6000
             */
            price: number;
            /**
             * Format: date
             * @description Last date.
             * @example 2027-08-31
             */
            to?: string;
            /** @description Prices of unit types by their key, in place of their own. */
            unit_prices?: {
                [key: string]: number;
            };
            weekdays?: components["schemas"]["WeekdaysField"];
        };
        Receipt: {
            /**
             * Format: int64
             * @description Minor units of currency.
             * @example 2400
             */
            amount: number;
            /** Format: uuid */
            booking_id: string;
            /** @example EUR */
            currency: string;
            /** @description Absent of a hold whose customer is not known yet. */
            customer?: components["schemas"]["ReceiptCustomer"];
            /**
             * Format: date
             * @description The booking's date.
             * @example 2026-07-14
             */
            date: string;
            /**
             * @description The amount for people, with the decimals of its currency.
             * @example 24.00 EUR
             */
            formatted_amount: string;
            /** @description The amount was paid from a wallet. */
            from_wallet?: boolean;
            /**
             * Format: date-time
             * @description When the money moved.
             */
            issued_at: string;
            /** @description Unique: the payment's id, in capitals. */
            number: string;
            /** Format: uuid */
            payment_id: string;
            /**
             * @description How an offline payment was received; absent of others.
             * @enum {string}
             */
            payment_method?: "cash" | "transfer" | "terminal";
            /** @description What was returned of it. */
            refunds: components["schemas"]["ReceiptRefund"][] | null;
            /** @example Sauna */
            service_name: string;
            /** @example Lakeside Sauna */
            tenant_name: string;
            /** @description What a wallet paid beside this payment. It isn't in amount, and has a receipt of its own. */
            wallet?: components["schemas"]["ReceiptWallet"];
        };
        ReceiptCustomer: {
            /** @example grace@example.com */
            email: string;
            /** @example Grace Hopper */
            name: string;
        };
        ReceiptRefund: {
            /**
             * Format: int64
             * @description Minor units of currency.
             * @example 1000
             */
            amount: number;
            /** @example 10.00 EUR */
            formatted_amount: string;
            /** Format: uuid */
            id: string;
            /**
             * @description How offline money was handed back; absent of others.
             * @enum {string}
             */
            payment_method?: "cash" | "transfer" | "terminal";
            /** Format: date-time */
            refunded_at: string;
        };
        ReceiptWallet: {
            /**
             * Format: int64
             * @example 1000
             */
            amount: number;
            /** @example 10.00 EUR */
            formatted_amount: string;
        };
        ReconciledTransfer: {
            /**
             * @description The tenant's account at the provider; absent if it is the platform's own.
             * @example acct_1OxYz2
             */
            account?: string;
            /**
             * Format: int64
             * @description Minor units of currency.
             */
            amount: number;
            /** @example EUR */
            currency: string;
            /** @example stripe */
            provider: string;
            /** @description The provider's id; empty if it isn't known. */
            provider_id: string;
            refund: boolean;
            /** @example succeeded */
            status: string;
        };
        Reconciliation: {
            differences: components["schemas"]["Difference"][];
            /**
             * Format: date-time
             * @description The first moment of the period.
             */
            from: string;
            /**
             * Format: int64
             * @description How many transfers of the providers' journals were compared.
             */
            movements: number;
            /** @description The money of these days that no provider saw. It is compared with nothing. */
            offline?: components["schemas"]["OfflineSum"][];
            /**
             * Format: int64
             * @description How many of them have no end yet and have time left: these are no differences.
             */
            open: number;
            /**
             * Format: int64
             * @description How many payments and refunds were compared.
             */
            payments: number;
            /**
             * Format: date-time
             * @description The first moment after the period.
             */
            until: string;
        };
        Refusal: {
            /**
             * @description The code of the refusal. Codes are stable.
             * @example slot_unavailable
             */
            code: string;
            /**
             * @description Why, for people.
             * @example The time is taken.
             */
            detail: string;
            /** @description The parts of the request that would be refused. */
            errors?: components["schemas"]["ProblemField"][] | null;
        };
        Reminder: {
            /**
             * @description Wall-clock time in the tenant's time zone.
             * @example 18:00
             */
            at?: string;
            /**
             * Format: int64
             * @description Before the booking starts. Either this, or days_before and at.
             * @example 120
             */
            before_minutes?: number;
            /**
             * Format: int64
             * @description Before the booking's date; 0 is the date itself.
             * @example 1
             */
            days_before?: number;
        };
        RequestLog: {
            /** @description Up to 4 KiB. Empty of a delivery to the operator. */
            body: string;
            /**
             * Format: date-time
             * @description The time of webhook-timestamp.
             */
            timestamp: string;
            /** @description The body was longer. */
            truncated?: boolean;
            url: string;
        };
        Reschedule: {
            any_resource?: components["schemas"]["AnyResourceField"];
            check_in?: components["schemas"]["CheckInField"];
            check_out?: components["schemas"]["CheckOutField"];
            date?: components["schemas"]["DateField"];
            duration_days?: components["schemas"]["DurationDaysField"];
            duration_minutes?: components["schemas"]["DurationMinutesField"];
            expect_price?: components["schemas"]["ExpectPriceField"];
            party?: components["schemas"]["PartyField"];
            /**
             * Format: int64
             * @description Of a booking with unit types give party instead.
             */
            party_size?: number;
            price?: components["schemas"]["PriceField"];
            resource_id?: components["schemas"]["ResourceIdField"];
            resource_ids?: components["schemas"]["ResourceIdsField"];
            /**
             * Format: uuid
             * @description Another service.
             */
            service_id?: string;
            starts_at?: components["schemas"]["StartsAtField"];
        };
        Resource: {
            /**
             * Format: date-time
             * @description Since when it takes no new bookings; absent if it does.
             */
            archived_at?: string;
            /**
             * Format: int64
             * @description Units that can be taken at the same time. A lower one is refused if more units are booked at some moment from now on, unless force is true.
             * @example 10
             */
            capacity: number;
            /** Format: date-time */
            created_at: string;
            hours: components["schemas"]["ResourceHours"];
            /** Format: uuid */
            id: string;
            /** @example Boat 1 */
            name: string;
            /**
             * Format: int64
             * @description Orders the resources in a list with order=position.
             * @example 1
             */
            position?: number;
            /** Format: date-time */
            updated_at: string;
            /**
             * Format: int64
             * @description Grows with every change; the ETag is its text.
             * @example 1
             */
            version: number;
        };
        /** @description Data is the resource after the change. */
        ResourceEvent: {
            data: components["schemas"]["Resource"];
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            occurred_at: string;
            /** @example Ada, support */
            operator?: string;
            /**
             * Format: int64
             * @example 2
             */
            sequence: number;
            subject: components["schemas"]["EventSubject"];
            /** @enum {string} */
            type: "resource.archived" | "resource.created" | "resource.hours_set" | "resource.unarchived" | "resource.updated";
        };
        ResourceHours: {
            /** @description true: open at all times, but for the overrides. Either this or weekly. */
            always_open?: boolean;
            /** @description true: open by the tenant's hours (PUT /v1/tenant/hours), but for the overrides. Without seasons. Either this, always_open or weekly. */
            inherited?: boolean;
            /** @description Dates with hours of their own, in place of those that would begin on them. */
            overrides?: components["schemas"]["Override"][];
            /** @description Weekly hours of their own for parts of the year. The first season that has a date wins; overrides come before seasons. */
            seasons?: components["schemas"]["Season"][];
            /** @description An empty list is never open, but for the overrides. */
            weekly?: components["schemas"]["Weekly"][];
        };
        /**
         * Format: uuid
         * @description A resource that the booking must have. Without it and resource_ids, a new booking gets one that fits, by choose of the service's needs and otherwise the first of the list, and one that moves keeps its own, unless the service doesn't list it.
         */
        ResourceIdField: string;
        /** @description Several resources that the booking must have, of a service with several needs. Several of one need are joined. A need of which none is named gets one by its choose. Either this or resource_id. */
        ResourceIdsField: string[];
        ResourcePage: {
            data: components["schemas"]["Resource"][];
            /** @description Give it as cursor to get the next page; absent on the last one. */
            next_cursor?: string;
        };
        ResourceSpec: {
            /**
             * Format: int64
             * @description Units that can be taken at the same time. A lower one is refused if more units are booked at some moment from now on, unless force is true.
             * @example 10
             */
            capacity: number;
            /** @example Boat 1 */
            name: string;
            /**
             * Format: int64
             * @description Orders the resources in a list with order=position.
             * @example 1
             */
            position?: number;
        };
        ResponseLog: {
            /** @description Up to 16 KiB. Empty of a delivery to the operator. */
            body: string;
            content_type?: string;
            retry_after?: string;
            /** Format: int64 */
            status: number;
            /** @description The body was longer. */
            truncated?: boolean;
        };
        RotateKey: {
            /**
             * Format: int64
             * @description For how long the old key goes on working; 1440 if absent. 0 ends it at once.
             * @example 60
             */
            overlap_minutes?: number;
        };
        ScheduledEvent: {
            /**
             * Format: int64
             * @description Counted anew after a replay.
             * @example 0
             */
            attempts: number;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When the event, or its next attempt, is due; in time_zone.
             * @example 2027-07-01T09:00:00+02:00
             */
            due_at: string;
            /** Format: uuid */
            id: string;
            /** @example booking.reminder */
            kind: string;
            /** @description Why the last attempt failed, or why the event was cancelled; absent of one that was cancelled on request. */
            last_error?: string;
            /**
             * @description failed: the last attempt failed, and another one follows at due_at. dead: none follows.
             * @example pending
             * @enum {string}
             */
            status: "pending" | "processing" | "completed" | "failed" | "dead" | "cancelled";
            /** @description What the event is about. */
            subject: components["schemas"]["ScheduledEventSubject"];
            /**
             * @description In which due_at was computed.
             * @example Europe/Berlin
             */
            time_zone: string;
            /** Format: date-time */
            updated_at: string;
            /**
             * Format: int64
             * @description Grows with every change; the ETag is its text.
             * @example 1
             */
            version: number;
        };
        ScheduledEventAttempt: {
            /**
             * Format: int64
             * @description Counts from 1, and again from 1 after a replay.
             * @example 1
             */
            attempt: number;
            /** @description What the attempt did, a JSON object of the kind. */
            details: unknown;
            /** @description Why the attempt failed. */
            error?: string;
            /** Format: date-time */
            finished_at: string;
            /** Format: date-time */
            started_at: string;
            /**
             * @description The event's, after the attempt.
             * @example failed
             * @enum {string}
             */
            status: "pending" | "processing" | "completed" | "failed" | "dead" | "cancelled";
        };
        ScheduledEventDetails: {
            /**
             * Format: int64
             * @description Counted anew after a replay.
             * @example 0
             */
            attempts: number;
            /** @description The newest attempts, the newest first: those that failed, and those whose kind logs them. At most 20. */
            attempts_log: components["schemas"]["ScheduledEventAttempt"][];
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When the event, or its next attempt, is due; in time_zone.
             * @example 2027-07-01T09:00:00+02:00
             */
            due_at: string;
            /** Format: uuid */
            id: string;
            /** @example booking.reminder */
            kind: string;
            /** @description Why the last attempt failed, or why the event was cancelled; absent of one that was cancelled on request. */
            last_error?: string;
            /**
             * @description failed: the last attempt failed, and another one follows at due_at. dead: none follows.
             * @example pending
             * @enum {string}
             */
            status: "pending" | "processing" | "completed" | "failed" | "dead" | "cancelled";
            /** @description What the event is about. */
            subject: components["schemas"]["ScheduledEventSubject"];
            /**
             * @description In which due_at was computed.
             * @example Europe/Berlin
             */
            time_zone: string;
            /** Format: date-time */
            updated_at: string;
            /**
             * Format: int64
             * @description Grows with every change; the ETag is its text.
             * @example 1
             */
            version: number;
        };
        ScheduledEventPage: {
            data: components["schemas"]["ScheduledEvent"][];
            /** @description Give it as cursor to get the next page; absent on the last one. */
            next_cursor?: string;
            /** @description With subject, on the first page: messages about a booking or a customer that will be planned when they are near, as far as nothing changes until then. They have no id yet, and can't be cancelled. */
            upcoming?: components["schemas"]["Upcoming"][];
        };
        ScheduledEventSubject: {
            /** Format: uuid */
            id: string;
            /** @example booking */
            type: string;
        };
        Season: {
            from: components["schemas"]["FromField"];
            /**
             * @description Last date, in the form of from. A season of each year may go over new year.
             * @example 08-31
             */
            to: string;
            /** @description An empty list is never open, but for the overrides. */
            weekly: components["schemas"]["Weekly"][];
        };
        Service: {
            /**
             * Format: date-time
             * @description Since when it takes no new bookings; absent if it does.
             */
            archived_at?: string;
            /** @description For a stay: other nights for stays that begin on some dates, such as at least 3 on Fridays or whole weeks in summer. The first that has the check-in date counts. */
            arrival_rules?: components["schemas"]["ArrivalRule"][];
            /** @description For a stay: on which days it can begin; each day if absent. */
            arrival_weekdays?: ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[];
            /**
             * Format: int64
             * @description How many days after today can be booked; 365 if absent.
             * @example 365
             */
            booking_window_days?: number;
            /**
             * Format: int64
             * @description Kept free after a booking, in days: whole dates for a date service and a stay, else until the same time of day. Of a stay: how many days after a check-out the next guest can arrive.
             */
            buffer_after_days?: number;
            /**
             * Format: int64
             * @description Kept free after a booking. Either this or buffer_after_days.
             */
            buffer_after_minutes?: number;
            /**
             * Format: int64
             * @description Kept free before a booking, in days: whole dates for a date service and a stay, else until the same time of day.
             */
            buffer_before_days?: number;
            /**
             * Format: int64
             * @description Kept free before a booking. Either this or buffer_before_days.
             */
            buffer_before_minutes?: number;
            /** @description What is kept, or due, of the price of a confirmed booking that is cancelled; {} if there is none: then the tenant decides what is refunded. A booking has the service's as of when it was made, or quoted anew. */
            cancellation_policy?: components["schemas"]["CancellationPolicy"];
            /**
             * @description For a stay: when it begins, by the clock on the check-in date. Not before check_out.
             * @example 15:00
             */
            check_in?: string;
            /**
             * @description For a stay: when it ends, by the clock on the check-out date.
             * @example 10:00
             */
            check_out?: string;
            confirm_on_deposit?: components["schemas"]["ConfirmOnDepositField"];
            /** Format: date-time */
            created_at: string;
            /** @example EUR */
            currency: string;
            /** @description For a stay: on which days it can end; each day if absent. */
            departure_weekdays?: ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[];
            /**
             * Format: int64
             * @description Part of the price that is due at once.
             * @example 1000
             */
            deposit?: number;
            /**
             * Format: int64
             * @description The deposit as a part of the booking's price, rounded half up to a minor unit, or to the smallest amount that can be paid by card, such as 10 fils of KWD; in place of deposit.
             * @example 20
             */
            deposit_percent?: number;
            /**
             * @description For the people who book it. It may have several lines.
             * @example An hour on the water, with coffee.
             */
            description?: string;
            /**
             * Format: int64
             * @description For a slot service: a slot ends so many days later at the same time of day, also when clocks change meanwhile.
             */
            duration_days?: number;
            /**
             * Format: int64
             * @description For a slot service: how long a slot lasts. Either this, or duration_days, or until_closing, or several durations.
             * @example 60
             */
            duration_minutes?: number;
            /**
             * Format: int64
             * @description A slot lasts min_duration_minutes, or so many minutes more, or twice so many, and so on.
             * @example 30
             */
            duration_step_minutes?: number;
            /** @description For a slot service: how long a slot can last, in place of duration_minutes. A booking says which. */
            durations?: components["schemas"]["Duration"][];
            /**
             * @description For a date service: when a booking ends, such as a return; on the next date if it is not after starts, of which the booking then takes all too.
             * @example 18:00
             */
            ends?: string;
            /** Format: uuid */
            id: string;
            /**
             * @description date sells whole dates, slot a duration inside the opening hours, stay nights from a check-in to a check-out.
             * @enum {string}
             */
            kind: "date" | "slot" | "stay";
            /**
             * Format: int64
             * @description The longest slot.
             * @example 480
             */
            max_duration_minutes?: number;
            /**
             * Format: int64
             * @description For a stay: most nights; 28 if absent. A stay touches at most 62 dates, its check-out date and its buffers included.
             * @example 14
             */
            max_nights?: number;
            /**
             * Format: int64
             * @description Most bookings that start on one date; of a service that occupies by session, most sessions.
             */
            max_per_day?: number;
            /** @description Anything of your own, up to 16 KiB. */
            metadata?: {
                [key: string]: unknown;
            };
            /**
             * Format: int64
             * @description For a slot service: the shortest slot, if a slot lasts as long as the booking says; duration_step_minutes if absent.
             * @example 60
             */
            min_duration_minutes?: number;
            /**
             * Format: int64
             * @description How long before it begins it must be booked: a date begins at midnight or at starts, a stay with its check-in. 0: a date can be booked until it ends, and a stay until its check-in date does. At most the booking window.
             */
            min_lead_minutes?: number;
            /**
             * Format: int64
             * @description For a stay: least nights; 1 if absent.
             * @example 2
             */
            min_nights?: number;
            /**
             * Format: int64
             * @description The least party_size of a booking; 1 if absent. A booking that has fewer keeps them.
             * @example 2
             */
            min_party_size?: number;
            /** @example Harbour tour */
            name: string;
            needs?: components["schemas"]["NeedsField"];
            /**
             * Format: int64
             * @description For a stay: its nights are a multiple of this, such as 7 for whole weeks; 1 if absent.
             * @example 7
             */
            nights_multiple?: number;
            occupies?: components["schemas"]["OccupiesField"];
            /**
             * Format: int64
             * @description Minor units of the tenant's currency; 0 if it is free. Of a stay: of each night.
             * @example 4500
             */
            price: number;
            /**
             * @description What price and the prices of rates are for: a booking, or each unit of party_size. booking if absent.
             * @enum {string}
             */
            price_per?: "booking" | "unit";
            /**
             * Format: int64
             * @description Of a slot service that sells several durations: price, and the prices of rates and unit_types, are for each part of so many minutes that has begun. Without it, for the booking.
             * @example 60
             */
            price_per_minutes?: number;
            /** @description Prices of some dates. The first that matches the booking's date counts, and price if none does. */
            rates?: components["schemas"]["Rate"][];
            /** @description In place of the tenant's; absent if the service has none of its own. An empty list sends none. */
            reminders?: components["schemas"]["Reminder"][];
            /** @description What can serve it, in the order in which it is tried. Either this or needs. */
            resource_ids?: string[];
            /** @description For a stay: a stay may have fewer nights than the least, and no multiple, if it fills all nights between what is taken, blocked or closed before it and after it. */
            sell_gaps?: boolean;
            slot_interval_minutes?: components["schemas"]["SlotIntervalMinutesField"];
            start_times?: components["schemas"]["StartTimesField"];
            starts?: components["schemas"]["StartsField"];
            /** @description Who can come, such as adults and children, each at its own price. A booking then gives party. price is charged once for the booking besides. */
            unit_types?: components["schemas"]["UnitType"][];
            /** @description For a slot service: a slot lasts until the opening hours in which it starts end. Resources that close at different times have slots of their own. */
            until_closing?: boolean;
            /** Format: date-time */
            updated_at: string;
            /**
             * Format: int64
             * @description Grows with every change; the ETag is its text.
             * @example 1
             */
            version: number;
        };
        ServiceAvailability: {
            /** @description In order of the dates, as GET /v1/services/{id}/availability tells them. */
            data: components["schemas"]["Day"][];
            /** Format: uuid */
            service_id: string;
        };
        /** @description Data is the service after the change. */
        ServiceEvent: {
            data: components["schemas"]["Service"];
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            occurred_at: string;
            /** @example Ada, support */
            operator?: string;
            /**
             * Format: int64
             * @example 2
             */
            sequence: number;
            subject: components["schemas"]["EventSubject"];
            /** @enum {string} */
            type: "service.archived" | "service.created" | "service.unarchived" | "service.updated";
        };
        ServicePage: {
            data: components["schemas"]["Service"][];
            /** @description Give it as cursor to get the next page; absent on the last one. */
            next_cursor?: string;
        };
        ServiceSpec: {
            /** @description For a stay: other nights for stays that begin on some dates, such as at least 3 on Fridays or whole weeks in summer. The first that has the check-in date counts. */
            arrival_rules?: components["schemas"]["ArrivalRule"][];
            /** @description For a stay: on which days it can begin; each day if absent. */
            arrival_weekdays?: ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[];
            /**
             * Format: int64
             * @description How many days after today can be booked; 365 if absent.
             * @example 365
             */
            booking_window_days?: number;
            /**
             * Format: int64
             * @description Kept free after a booking, in days: whole dates for a date service and a stay, else until the same time of day. Of a stay: how many days after a check-out the next guest can arrive.
             */
            buffer_after_days?: number;
            /**
             * Format: int64
             * @description Kept free after a booking. Either this or buffer_after_days.
             */
            buffer_after_minutes?: number;
            /**
             * Format: int64
             * @description Kept free before a booking, in days: whole dates for a date service and a stay, else until the same time of day.
             */
            buffer_before_days?: number;
            /**
             * Format: int64
             * @description Kept free before a booking. Either this or buffer_before_days.
             */
            buffer_before_minutes?: number;
            /** @description What is kept, or due, of the price of a confirmed booking that is cancelled; {} if there is none: then the tenant decides what is refunded. A booking has the service's as of when it was made, or quoted anew. */
            cancellation_policy?: components["schemas"]["CancellationPolicy"];
            /**
             * @description For a stay: when it begins, by the clock on the check-in date. Not before check_out.
             * @example 15:00
             */
            check_in?: string;
            /**
             * @description For a stay: when it ends, by the clock on the check-out date.
             * @example 10:00
             */
            check_out?: string;
            confirm_on_deposit?: components["schemas"]["ConfirmOnDepositField"];
            /** @description For a stay: on which days it can end; each day if absent. */
            departure_weekdays?: ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[];
            /**
             * Format: int64
             * @description Part of the price that is due at once.
             * @example 1000
             */
            deposit?: number;
            /**
             * Format: int64
             * @description The deposit as a part of the booking's price, rounded half up to a minor unit, or to the smallest amount that can be paid by card, such as 10 fils of KWD; in place of deposit.
             * @example 20
             */
            deposit_percent?: number;
            /**
             * @description For the people who book it. It may have several lines.
             * @example An hour on the water, with coffee.
             */
            description?: string;
            /**
             * Format: int64
             * @description For a slot service: a slot ends so many days later at the same time of day, also when clocks change meanwhile.
             */
            duration_days?: number;
            /**
             * Format: int64
             * @description For a slot service: how long a slot lasts. Either this, or duration_days, or until_closing, or several durations.
             * @example 60
             */
            duration_minutes?: number;
            /**
             * Format: int64
             * @description A slot lasts min_duration_minutes, or so many minutes more, or twice so many, and so on.
             * @example 30
             */
            duration_step_minutes?: number;
            /** @description For a slot service: how long a slot can last, in place of duration_minutes. A booking says which. */
            durations?: components["schemas"]["Duration"][];
            /**
             * @description For a date service: when a booking ends, such as a return; on the next date if it is not after starts, of which the booking then takes all too.
             * @example 18:00
             */
            ends?: string;
            /**
             * @description date sells whole dates, slot a duration inside the opening hours, stay nights from a check-in to a check-out.
             * @enum {string}
             */
            kind: "date" | "slot" | "stay";
            /**
             * Format: int64
             * @description The longest slot.
             * @example 480
             */
            max_duration_minutes?: number;
            /**
             * Format: int64
             * @description For a stay: most nights; 28 if absent. A stay touches at most 62 dates, its check-out date and its buffers included.
             * @example 14
             */
            max_nights?: number;
            /**
             * Format: int64
             * @description Most bookings that start on one date; of a service that occupies by session, most sessions.
             */
            max_per_day?: number;
            /** @description Anything of your own, up to 16 KiB. */
            metadata?: {
                [key: string]: unknown;
            };
            /**
             * Format: int64
             * @description For a slot service: the shortest slot, if a slot lasts as long as the booking says; duration_step_minutes if absent.
             * @example 60
             */
            min_duration_minutes?: number;
            /**
             * Format: int64
             * @description How long before it begins it must be booked: a date begins at midnight or at starts, a stay with its check-in. 0: a date can be booked until it ends, and a stay until its check-in date does. At most the booking window.
             */
            min_lead_minutes?: number;
            /**
             * Format: int64
             * @description For a stay: least nights; 1 if absent.
             * @example 2
             */
            min_nights?: number;
            /**
             * Format: int64
             * @description The least party_size of a booking; 1 if absent. A booking that has fewer keeps them.
             * @example 2
             */
            min_party_size?: number;
            /** @example Harbour tour */
            name: string;
            needs?: components["schemas"]["NeedsField"];
            /**
             * Format: int64
             * @description For a stay: its nights are a multiple of this, such as 7 for whole weeks; 1 if absent.
             * @example 7
             */
            nights_multiple?: number;
            occupies?: components["schemas"]["OccupiesField"];
            /**
             * Format: int64
             * @description Minor units of the tenant's currency; 0 if it is free. Of a stay: of each night.
             * @example 4500
             */
            price: number;
            /**
             * @description What price and the prices of rates are for: a booking, or each unit of party_size. booking if absent.
             * @enum {string}
             */
            price_per?: "booking" | "unit";
            /**
             * Format: int64
             * @description Of a slot service that sells several durations: price, and the prices of rates and unit_types, are for each part of so many minutes that has begun. Without it, for the booking.
             * @example 60
             */
            price_per_minutes?: number;
            /** @description Prices of some dates. The first that matches the booking's date counts, and price if none does. */
            rates?: components["schemas"]["Rate"][];
            /** @description In place of the tenant's; absent if the service has none of its own. An empty list sends none. */
            reminders?: components["schemas"]["Reminder"][];
            /** @description What can serve it, in the order in which it is tried. Either this or needs. */
            resource_ids?: string[];
            /** @description For a stay: a stay may have fewer nights than the least, and no multiple, if it fills all nights between what is taken, blocked or closed before it and after it. */
            sell_gaps?: boolean;
            slot_interval_minutes?: components["schemas"]["SlotIntervalMinutesField"];
            start_times?: components["schemas"]["StartTimesField"];
            starts?: components["schemas"]["StartsField"];
            /** @description Who can come, such as adults and children, each at its own price. A booking then gives party. price is charged once for the booking besides. */
            unit_types?: components["schemas"]["UnitType"][];
            /** @description For a slot service: a slot lasts until the opening hours in which it starts end. Resources that close at different times have slots of their own. */
            until_closing?: boolean;
        };
        ServicesAvailability: {
            /** @description In the order of service_ids; of a resource, by id. A service whose dates don't all fit on a page is continued on the next one, where it comes first. */
            data: components["schemas"]["ServiceAvailability"][];
            /** @description Give it as cursor, with the same other parameters, to get the next page; absent on the last one. */
            next_cursor?: string;
        };
        Slot: {
            /**
             * Format: int64
             * @description Units of the resources at which the slot starts; of the first need, if there are several.
             */
            capacity: number;
            /**
             * Format: date-time
             * @example 2027-07-01T11:00:00+02:00
             */
            ends_at: string;
            /**
             * Format: int64
             * @description The largest party that still fits one booking. A publishable key is told no more than limits.units of the tenant's website.
             */
            largest_party: number;
            /**
             * Format: int64
             * @description What the party would pay, in minor units; with prices=true, unless the service has unit types.
             */
            price?: number;
            /**
             * @description Why the party can't be booked; absent if it can. sold_out: no unit is free, or max_per_day is reached. in_the_way: what is booked or blocked leaves too few units for the party, not all of a resource where a booking takes all, or nothing of what the service needs besides. no_hours: nothing of what it needs besides is open.
             * @enum {string}
             */
            reason?: "no_hours" | "sold_out" | "in_the_way";
            /**
             * Format: int64
             * @description Units that are free, over all resources; of a service with several needs, over those of the first. None if another need has nothing free.
             */
            remaining: number;
            /** @description The resources that can take the party, and for each other need those that are free. */
            resource_ids: string[];
            /**
             * Format: date-time
             * @example 2027-07-01T10:00:00+02:00
             */
            starts_at: string;
        };
        /**
         * Format: int64
         * @description For a slot service: slots start this often, by the clock, from the opening time on, unless there are start_times. If absent: duration_minutes, or the shortest duration, but at most a day; a day with duration_days or until_closing.
         * @example 30
         */
        SlotIntervalMinutesField: number;
        StartTime: {
            /**
             * @description By the clock. Where clocks skip a time, no slot starts; where they show it twice, two do. Absent: none on these dates.
             * @example [
             *       "19:00"
             *     ]
             */
            at?: string[];
            /**
             * @description Single dates, in place of weekdays, from and to.
             * @example [
             *       "2027-12-24"
             *     ]
             */
            dates?: string[];
            from?: components["schemas"]["FromField"];
            /**
             * @description Last date, in the form of from. A part of each year may go over new year.
             * @example 08-31
             */
            to?: string;
            weekdays?: components["schemas"]["WeekdaysField"];
        };
        /** @description For a slot service: when slots start, in place of slot_interval_minutes, such as a tour at 19:00. Its resources must be open for all of the slot. Of a date, the entries that list it in dates count alone; else those with from and to that have it; else the others. */
        StartTimesField: components["schemas"]["StartTime"][];
        /**
         * Format: date-time
         * @description For a slot service: RFC 3339 with an offset.
         * @example 2027-07-01T10:00:00+02:00
         */
        StartsAtField: string;
        /**
         * @description For a date service: when a booking begins, by the clock on its date, such as a pick-up. Either both starts and ends, or neither: then it lasts from midnight to midnight. It takes the whole date all the same.
         * @example 09:00
         */
        StartsField: string;
        Suspend: {
            /**
             * @description For the operator: the tenant isn't shown it.
             * @example Invoice 4711 is unpaid.
             */
            reason?: string;
        };
        Template: {
            /**
             * @description Values are escaped.
             * @example <p>Hello {{customer_name}}</p>
             */
            html?: string;
            /** @example See you soon, {{customer_name}} */
            subject?: string;
            /**
             * @description Kind of email.
             * @enum {string}
             */
            template: "booking.held" | "booking.confirmed" | "booking.rescheduled" | "booking.cancelled" | "booking.reminder" | "booking.follow_up" | "booking.anniversary" | "customer.birthday" | "payment.balance_due" | "payment.succeeded" | "payment.declined" | "payment.refunded";
            /** @example Hello {{customer_name}}, we look forward to {{service_name}} on {{date}}. */
            text?: string;
        };
        Tenant: {
            /**
             * @description Shown this once: it is not stored, and a retried request is answered without it.
             * @example hf_…
             */
            api_key?: string;
            /** Format: uuid */
            api_key_id: string;
            /** Format: date-time */
            created_at: string;
            currency: string;
            /** Format: uuid */
            id: string;
            name: string;
            slug: string;
            time_zone: string;
        };
        TenantSettings: {
            /** @description When to remind of what is still to pay; absent if never. */
            balance_due?: components["schemas"]["Reminder"];
            booking_page?: components["schemas"]["PublicBookingPage"];
            /** Format: date-time */
            created_at: string;
            /** @example EUR */
            currency: string;
            email?: components["schemas"]["Email"];
            /**
             * Format: int64
             * @description After the booking's end; absent if no follow-up is sent.
             * @example 1440
             */
            follow_up_minutes?: number;
            greetings?: components["schemas"]["Greetings"];
            /** Format: uuid */
            id: string;
            /**
             * @description Where this server has the logo, which PUT /v1/tenant/logo sets; absent without one.
             * @example /book/harbour/logo/4fa0c1de62b7893f
             */
            logo?: string;
            /** @example Harbour Tours */
            name: string;
            /** @description Addresses of your own that are told of changes, whoever made them. */
            owner_emails?: components["schemas"]["OwnerEmail"][];
            /** @description Which emails tell customers of their payments; none unless you say so. */
            payment_emails?: components["schemas"]["PaymentEmails"];
            /** @description Sent before bookings; a service can have its own in their place. */
            reminders?: components["schemas"]["Reminder"][];
            /** @example harbour */
            slug: string;
            /** @example Europe/Berlin */
            time_zone: string;
            /** @description true: from now on no booking gets a reference, or an external_reference, that another one has. Bookings that share one keep it. */
            unique_references?: boolean;
            /**
             * Format: int64
             * @description Grows with every change; the ETag is its text.
             * @example 1
             */
            version: number;
            website?: components["schemas"]["Website"];
        };
        Transfer: {
            /**
             * Format: int64
             * @example 1000
             */
            amount: number;
            from: components["schemas"]["Wallet"];
            /** Format: uuid */
            movement_id: string;
            to: components["schemas"]["Wallet"];
        };
        UnitType: {
            /** @description Whether one takes a unit of the capacity. */
            counts: boolean;
            /**
             * @description Lower-case letters, digits and _.
             * @example adult
             */
            key: string;
            /**
             * Format: int64
             * @description The greatest age in years.
             * @example 12
             */
            max_age?: number;
            /**
             * Format: int64
             * @description The least age in years. Ages are shown to the people who book; nobody is asked for an age.
             * @example 4
             */
            min_age?: number;
            /**
             * Format: int64
             * @description How many of it a party has at least, such as one adult.
             * @example 1
             */
            min_count?: number;
            /** @example Adult */
            name: string;
            /**
             * @description For the people who book.
             * @example Bring a car seat.
             */
            note?: string;
            /**
             * Format: int64
             * @description Of one.
             * @example 2500
             */
            price: number;
        };
        Upcoming: {
            /**
             * Format: date-time
             * @description In time_zone.
             * @example 2027-07-01T09:00:00+02:00
             */
            due_at: string;
            /** @example booking.reminder */
            kind: string;
            /**
             * @description In which due_at was computed.
             * @example Europe/Berlin
             */
            time_zone: string;
        };
        UpdateBooking: {
            any_resource?: components["schemas"]["AnyResourceField"];
            check_in?: components["schemas"]["CheckInField"];
            check_out?: components["schemas"]["CheckOutField"];
            /** @description Of a booking that is held or confirmed. It replaces the customer that the booking has. Either this or customer_id. The booking keeps it as it is given. It fills in what isn't known of the customer with this email. */
            customer?: components["schemas"]["NewCustomer"];
            /**
             * Format: uuid
             * @description Of a booking that is held or confirmed. Either this or customer. The booking gets the contact that is known of this customer now.
             */
            customer_id?: string;
            date?: components["schemas"]["DateField"];
            duration_days?: components["schemas"]["DurationDaysField"];
            duration_minutes?: components["schemas"]["DurationMinutesField"];
            expect_price?: components["schemas"]["ExpectPriceField"];
            /** @example shop-4711 */
            external_reference?: string | null;
            /**
             * Format: int64
             * @description How long a hold lasts from now. A hold that lasts longer already keeps its end; in all it lasts at most 7 days.
             * @example 15
             */
            hold_minutes?: number;
            /** @description Merged with the object, whatever the booking's status. */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /** @description true: the links that lead the customer to the booking stop working; GET /v1/bookings/{id}/link gives the next one. Another email does so by itself. */
            new_link?: boolean;
            party?: components["schemas"]["PartyField"];
            /**
             * Format: int64
             * @description Of a booking with unit types give party instead.
             */
            party_size?: number;
            price?: components["schemas"]["PriceField"];
            /** @example Wedding Miller */
            reference?: string | null;
            resource_id?: components["schemas"]["ResourceIdField"];
            resource_ids?: components["schemas"]["ResourceIdsField"];
            /**
             * Format: uuid
             * @description Another service.
             */
            service_id?: string;
            starts_at?: components["schemas"]["StartsAtField"];
            /**
             * @description Confirms a hold.
             * @enum {string}
             */
            status?: "confirmed";
            update_customer?: components["schemas"]["UpdateCustomerField"];
        };
        /** @description true: what customer gives also replaces what is known of the customer. It needs the scope that PATCH /v1/customers/{id} needs. */
        UpdateCustomerField: boolean;
        User: {
            /** Format: date-time */
            created_at: string;
            /**
             * @description Sign-in links are sent there. No two users of a tenant have the same.
             * @example ada@harbour-tours.example
             */
            email: string;
            /** Format: uuid */
            id: string;
            /**
             * @description Histories name the person by it.
             * @example Ada Lovelace
             */
            name: string;
            /**
             * @description owner: everything. staff: bookings, customers, payments and refunds. read: look at it.
             * @example staff
             * @enum {string}
             */
            role: "owner" | "staff" | "read";
            /**
             * Format: int64
             * @description Grows with every change; the ETag is its text.
             * @example 1
             */
            version: number;
        };
        UserPage: {
            data: components["schemas"]["User"][];
            /** @description Give it as cursor to get the next page; absent on the last one. */
            next_cursor?: string;
        };
        UserSpec: {
            /**
             * @description Sign-in links are sent there. No two users of a tenant have the same.
             * @example ada@harbour-tours.example
             */
            email: string;
            /**
             * @description Histories name the person by it.
             * @example Ada Lovelace
             */
            name: string;
            /**
             * @description owner: everything. staff: bookings, customers, payments and refunds. read: look at it.
             * @example staff
             * @enum {string}
             */
            role: "owner" | "staff" | "read";
        };
        Visitor: {
            /** @example ada@example.com */
            email: string;
            /**
             * @description Of emails about the booking: that of your page.
             * @example de
             * @enum {string}
             */
            language?: "en" | "de" | "es";
            name: components["schemas"]["NameField"];
            /** @example +49 30 901820 */
            phone?: string;
            /** @example Europe/London */
            time_zone?: string;
        };
        VisitorLimits: {
            /**
             * Format: int64
             * @description The most nights of a stay, and the most days of a slot, of one hold. A day that has begun counts. Absent: as many as the service sells.
             * @example 14
             */
            nights?: number;
            /**
             * Format: int64
             * @description The most holds that visitors have open at a time with the email of one customer: neither confirmed, given back nor ended. Absent: any number.
             * @example 3
             */
            open_holds_per_email?: number;
            /**
             * Format: int64
             * @description The most units of one hold: its party_size. Absent: as many as there are.
             * @example 4
             */
            units?: number;
        };
        Wallet: {
            /**
             * Format: int64
             * @description What can be spent.
             * @example 4000
             */
            available: number;
            /**
             * Format: int64
             * @description Minor units of currency, held amounts included.
             * @example 5000
             */
            balance: number;
            /** Format: date-time */
            created_at: string;
            /** @example EUR */
            currency: string;
            /**
             * Format: uuid
             * @description Absent for a wallet with a code.
             */
            customer_id?: string;
            expiring: components["schemas"]["ExpiringField"];
            /**
             * Format: int64
             * @description What open holds keep.
             * @example 1000
             */
            held: number;
            /** @description The open holds, the oldest first. */
            holds: components["schemas"]["WalletHold"][];
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            updated_at: string;
            /**
             * Format: int64
             * @description The version of the last entry.
             * @example 3
             */
            version: number;
        };
        WalletCode: {
            /**
             * @description As people write it: capital or small letters, with hyphens or without.
             * @example 7Q2M-4KXR-9D0T-HC3V-B8NE
             */
            code: string;
        };
        WalletEntry: {
            /**
             * Format: int64
             * @example 1000
             */
            amount: number;
            /**
             * Format: int64
             * @example 5000
             */
            available: number;
            /**
             * Format: int64
             * @description After the entry, as held and available.
             * @example 5000
             */
            balance: number;
            /**
             * Format: uuid
             * @description The booking that it pays, or refunds.
             */
            booking_id?: string;
            /** @description Of the credit that it adds or ends: what expires, and when. */
            expiring?: components["schemas"]["CreditBatch"][] | null;
            /**
             * Format: int64
             * @example 0
             */
            held: number;
            /**
             * Format: uuid
             * @description The hold that it begins or ends.
             */
            hold_id?: string;
            /**
             * Format: uuid
             * @description The entries of one request share it.
             */
            movement_id: string;
            /** Format: date-time */
            occurred_at: string;
            /**
             * Format: uuid
             * @description The other wallet of a transfer.
             */
            other_wallet_id?: string;
            /** Format: uuid */
            payment_id?: string;
            /** @example Goodwill */
            reason?: string;
            /** @example ticket 4711 */
            reference?: string;
            /**
             * @example debited
             * @enum {string}
             */
            type: "opened" | "credited" | "debited" | "transferred_in" | "transferred_out" | "held" | "captured" | "released" | "expired" | "paid" | "refunded";
            /**
             * Format: int64
             * @description The wallet's version after it. No version is left out.
             * @example 3
             */
            version: number;
        };
        WalletEntryPage: {
            data: components["schemas"]["WalletEntry"][];
            /** @description Give it as cursor to get the next page; absent on the last one. */
            next_cursor?: string;
        };
        /** @description Data is the wallet after the entry, with the entry as entry. */
        WalletEvent: {
            data: components["schemas"]["LedgerTransaction"];
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            occurred_at: string;
            /** @example Ada, support */
            operator?: string;
            /**
             * Format: int64
             * @example 2
             */
            sequence: number;
            subject: components["schemas"]["EventSubject"];
            /** @enum {string} */
            type: "wallet.captured" | "wallet.credited" | "wallet.debited" | "wallet.expired" | "wallet.held" | "wallet.opened" | "wallet.paid" | "wallet.refunded" | "wallet.released" | "wallet.transferred_in" | "wallet.transferred_out";
        };
        WalletHold: {
            /**
             * Format: int64
             * @example 1000
             */
            amount: number;
            /**
             * Format: uuid
             * @description That of the payment, if a payment holds the amount.
             */
            id: string;
        };
        WalletPage: {
            data: components["schemas"]["Wallet"][];
            /** @description Give it as cursor to get the next page; absent on the last one. */
            next_cursor?: string;
        };
        WebhookEndpoint: {
            /** Format: date-time */
            created_at: string;
            description: string;
            /** @description Why the endpoint is not enabled. */
            disabled_reason?: string;
            /**
             * Format: date-time
             * @description When the first attempt failed after the last one that succeeded. After five days the endpoint is disabled.
             */
            failing_since?: string;
            /** Format: uuid */
            id: string;
            /**
             * @description gone: the endpoint answered 410.
             * @enum {string}
             */
            status: "enabled" | "disabled" | "gone";
            /**
             * @example [
             *       "booking.*"
             *     ]
             */
            types: string[];
            /** Format: date-time */
            updated_at: string;
            /** @example https://example.com/webhooks */
            url: string;
        };
        /** @description Data is the endpoint. */
        WebhookEndpointEvent: {
            data: components["schemas"]["WebhookEndpoint"];
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            occurred_at: string;
            /** @example Ada, support */
            operator?: string;
            /**
             * Format: int64
             * @example 2
             */
            sequence: number;
            subject: components["schemas"]["EventSubject"];
            /** @enum {string} */
            type: "webhook_endpoint.disabled";
        };
        WebhookEndpointPage: {
            data: components["schemas"]["WebhookEndpoint"][];
            /** @description Give it as cursor to get the next page; absent on the last one. */
            next_cursor?: string;
        };
        WebhookEvent: components["schemas"]["BookingEvent"] | components["schemas"]["PaymentEvent"] | components["schemas"]["CustomerEvent"] | components["schemas"]["WalletEvent"] | components["schemas"]["ServiceEvent"] | components["schemas"]["ResourceEvent"] | components["schemas"]["ClosureEvent"] | components["schemas"]["BlockEvent"] | components["schemas"]["WebhookEndpointEvent"] | components["schemas"]["PingEvent"];
        Website: {
            /** @description What visitors take at once, at most, on the booking page and with publishable API keys. What you book yourself has no such limits. */
            limits?: components["schemas"]["VisitorLimits"];
            /** @description Origins whose pages may use the tenant's publishable API keys, as browsers send them: scheme, host and port. https, or http on localhost and 127.0.0.1. */
            origins?: string[];
        };
        /** @description Each weekday if absent. */
        WeekdaysField: ("monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday")[];
        Weekly: {
            /**
             * @description On the next day if it is before opens, such as 22:00 to 02:00. 24:00 is the end of the day.
             * @example 18:00
             */
            closes: string;
            /**
             * @description Wall-clock time in the tenant's time zone.
             * @example 09:00
             */
            opens: string;
            /**
             * @description The day on which the hours begin.
             * @enum {string}
             */
            weekday: "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";
        };
    };
    responses: {
        /** @description OK */
        ApiKey: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiKey"];
            };
        };
        /** @description OK */
        ApiKeyPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ApiKeyPage"];
            };
        };
        /** @description OK */
        Block: {
            headers: {
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Block"];
            };
        };
        /** @description OK */
        Block2: {
            headers: {
                ETag: components["headers"]["ETag"];
                "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                Location: components["headers"]["Location"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Block"];
            };
        };
        /** @description OK */
        Booking: {
            headers: {
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Booking"];
            };
        };
        /** @description OK */
        Booking2: {
            headers: {
                ETag: components["headers"]["ETag"];
                "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                Location: components["headers"]["Location"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Booking"];
            };
        };
        /** @description OK */
        Closure: {
            headers: {
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Closure"];
            };
        };
        /** @description OK */
        Closure2: {
            headers: {
                ETag: components["headers"]["ETag"];
                "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                Location: components["headers"]["Location"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Closure"];
            };
        };
        /** @description 409 Conflict: `already_exists`, `block_in_the_way`, `bookings_in_the_way`, `deposit_due`, `hold_expired`, `invalid_state`, `payment_account_not_ready`, `payment_in_progress`, `price_changed`, `request_in_progress`, `slot_unavailable`, `version_conflict`. */
        Conflict: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "already_exists",
                 *       "detail": "What happened this time, in a sentence for people.",
                 *       "status": 409,
                 *       "title": "Already exists",
                 *       "type": "/docs/errors#already_exists"
                 *     }
                 */
                "application/problem+json": components["schemas"]["ProblemDocument"];
            };
        };
        /** @description OK */
        ConflictPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ConflictPage"];
            };
        };
        /** @description OK */
        Customer: {
            headers: {
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Customer"];
            };
        };
        /** @description OK */
        Customer2: {
            headers: {
                ETag: components["headers"]["ETag"];
                "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                Location: components["headers"]["Location"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Customer"];
            };
        };
        /** @description OK */
        Delivery: {
            headers: {
                ETag: components["headers"]["ETag"];
                "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                Location: components["headers"]["Location"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Delivery"];
            };
        };
        /** @description Created */
        DeliveryCreated: {
            headers: {
                ETag: components["headers"]["ETag"];
                "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                Location: components["headers"]["Location"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Delivery"];
            };
        };
        /** @description OK */
        DeliveryPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["DeliveryPage"];
            };
        };
        /** @description OK */
        DeliveryWithLog: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["DeliveryWithLog"];
            };
        };
        /** @description OK */
        EndpointWithSecret: {
            headers: {
                ETag: components["headers"]["ETag"];
                "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                Location: components["headers"]["Location"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["EndpointWithSecret"];
            };
        };
        /** @description Created */
        EndpointWithSecretCreated: {
            headers: {
                ETag: components["headers"]["ETag"];
                "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                Location: components["headers"]["Location"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["EndpointWithSecret"];
            };
        };
        /** @description 500 Internal Server Error: `internal_error`; 503 Service Unavailable: `database_unavailable`, `lock_timeout`, `outcome_unknown`, `overloaded`, `payments_not_configured`, `provider_unavailable`, `shutting_down`, `tenant_moved`, `tenant_moving`. */
        Failed: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "internal_error",
                 *       "detail": "Something went wrong on our side. The Request-Id finds it in the server's log.",
                 *       "status": 500,
                 *       "title": "Internal error",
                 *       "type": "/docs/errors#internal_error"
                 *     }
                 */
                "application/problem+json": components["schemas"]["ProblemDocument"];
            };
        };
        /** @description 410 Gone: `cursor_expired`, `erased`. */
        Gone: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "cursor_expired",
                 *       "detail": "What happened this time, in a sentence for people.",
                 *       "status": 410,
                 *       "title": "Cursor expired",
                 *       "type": "/docs/errors#cursor_expired"
                 *     }
                 */
                "application/problem+json": components["schemas"]["ProblemDocument"];
            };
        };
        /** @description OK */
        HistoryEntryPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["HistoryEntryPage"];
            };
        };
        /** @description OK */
        Hold: {
            headers: {
                ETag: components["headers"]["ETag"];
                "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                Location: components["headers"]["Location"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Hold"];
            };
        };
        /** @description OK */
        Hours: {
            headers: {
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Hours"];
            };
        };
        /** @description Created */
        LedgerTransactionCreated: {
            headers: {
                ETag: components["headers"]["ETag"];
                "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                Location: components["headers"]["Location"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["LedgerTransaction"];
            };
        };
        /** @description Created */
        NewApiKeyCreated: {
            headers: {
                ETag: components["headers"]["ETag"];
                "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                Location: components["headers"]["Location"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NewApiKey"];
            };
        };
        /** @description Created */
        NewWalletCreated: {
            headers: {
                ETag: components["headers"]["ETag"];
                "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                Location: components["headers"]["Location"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["NewWallet"];
            };
        };
        /** @description Done, with Prefer: return=minimal. */
        NoContent: {
            headers: {
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description No Content */
        NoContent2: {
            headers: {
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description 404 Not Found: `not_found`. */
        NotFound: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "not_found",
                 *       "detail": "There is nothing here, or nothing that this key may see.",
                 *       "status": 404,
                 *       "title": "Not found",
                 *       "type": "/docs/errors#not_found"
                 *     }
                 */
                "application/problem+json": components["schemas"]["ProblemDocument"];
            };
        };
        /** @description Nothing has changed since the ETag that If-None-Match names. */
        NotModified: {
            headers: {
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description OK */
        OK: {
            headers: {
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description OK */
        OperatorTenant: {
            headers: {
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["OperatorTenant"];
            };
        };
        /** @description OK */
        OperatorTenant2: {
            headers: {
                ETag: components["headers"]["ETag"];
                "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                Location: components["headers"]["Location"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["OperatorTenant"];
            };
        };
        /** @description OK */
        Payment: {
            headers: {
                ETag: components["headers"]["ETag"];
                "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                Location: components["headers"]["Location"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Payment"];
            };
        };
        /** @description Accepted: the end isn't known yet. Repeat the request with the same key, or read the payment. */
        PaymentAccepted: {
            headers: {
                ETag: components["headers"]["ETag"];
                "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                Location: components["headers"]["Location"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Payment"];
            };
        };
        /** @description OK */
        PaymentAccount: {
            headers: {
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["PaymentAccount"];
            };
        };
        /** @description Created */
        PaymentCreated: {
            headers: {
                ETag: components["headers"]["ETag"];
                "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                Location: components["headers"]["Location"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Payment"];
            };
        };
        /** @description 402 Payment Required: `payment_declined`. */
        PaymentRequired: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "payment_declined",
                 *       "detail": "What happened this time, in a sentence for people.",
                 *       "status": 402,
                 *       "title": "Payment declined",
                 *       "type": "/docs/errors#payment_declined"
                 *     }
                 */
                "application/problem+json": components["schemas"]["ProblemDocument"];
            };
        };
        /** @description 412 Precondition Failed: `version_mismatch`. */
        PreconditionFailed: {
            headers: {
                ETag: components["headers"]["ETag"];
                "Request-Id": components["headers"]["Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "version_mismatch",
                 *       "detail": "What happened this time, in a sentence for people.",
                 *       "status": 412,
                 *       "title": "Version mismatch",
                 *       "type": "/docs/errors#version_mismatch"
                 *     }
                 */
                "application/problem+json": components["schemas"]["ProblemDocument"];
            };
        };
        /** @description OK */
        Range: {
            headers: {
                ETag: components["headers"]["ETag"];
                "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                Location: components["headers"]["Location"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Range"];
            };
        };
        /** @description OK */
        Reconciliation: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Reconciliation"];
            };
        };
        /** @description 400 Bad Request: `cell_required`, `idempotency_key_invalid`, `idempotency_key_missing`, `malformed_request`; 401 Unauthorized: `unauthenticated`; 403 Forbidden: `forbidden`, `tenant_suspended`; 408 Request Timeout: `request_timeout`; 413 Request Entity Too Large: `body_too_large`; 415 Unsupported Media Type: `unsupported_media_type`; 417 Expectation Failed: an `Expect` other than 100-continue; 429 Too Many Requests: `rate_limited`; 431 Request Header Fields Too Large: the headers are too large. */
        Refused: {
            headers: {
                "Preference-Applied": components["headers"]["Preference-Applied"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                "Request-Id": components["headers"]["Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "cell_required",
                 *       "detail": "What happened this time, in a sentence for people.",
                 *       "status": 400,
                 *       "title": "Cell required",
                 *       "type": "/docs/errors#cell_required"
                 *     }
                 */
                "application/problem+json": components["schemas"]["ProblemDocument"];
            };
        };
        /** @description OK */
        Resource: {
            headers: {
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Resource"];
            };
        };
        /** @description OK */
        Resource2: {
            headers: {
                ETag: components["headers"]["ETag"];
                "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                Location: components["headers"]["Location"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Resource"];
            };
        };
        /** @description OK */
        ScheduledEvent: {
            headers: {
                ETag: components["headers"]["ETag"];
                "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                Location: components["headers"]["Location"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["ScheduledEvent"];
            };
        };
        /** @description OK */
        Service: {
            headers: {
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Service"];
            };
        };
        /** @description OK */
        Service2: {
            headers: {
                ETag: components["headers"]["ETag"];
                "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                Location: components["headers"]["Location"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Service"];
            };
        };
        /** @description OK */
        TenantSettings: {
            headers: {
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["TenantSettings"];
            };
        };
        /** @description 422 Unprocessable Entity: `idempotency_key_reused`, `insufficient_funds`, `outside_booking_window`, `outside_opening_hours`, `overpayment`, `refund_exceeds_payment`, `too_many_dates`, `validation_failed`. */
        UnprocessableEntity: {
            headers: {
                "Request-Id": components["headers"]["Request-Id"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "code": "idempotency_key_reused",
                 *       "detail": "What happened this time, in a sentence for people.",
                 *       "status": 422,
                 *       "title": "Idempotency key reused",
                 *       "type": "/docs/errors#idempotency_key_reused"
                 *     }
                 */
                "application/problem+json": components["schemas"]["ProblemDocument"];
            };
        };
        /** @description OK */
        User: {
            headers: {
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["User"];
            };
        };
        /** @description OK */
        Wallet: {
            headers: {
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Wallet"];
            };
        };
        /** @description OK */
        WebhookEndpoint: {
            headers: {
                ETag: components["headers"]["ETag"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WebhookEndpoint"];
            };
        };
        /** @description OK */
        WebhookEndpointPage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["WebhookEndpointPage"];
            };
        };
    };
    parameters: {
        /**
         * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
         * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
         */
        "Idempotency-Key": string;
        /**
         * @description A new value for every new change, the same one for every retry of it. Kept for 30 days. Of at least 16 characters that nobody can guess, such as crypto.randomUUID() in a browser.
         * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
         */
        "Idempotency-Key2": string;
        /**
         * @description The change is refused with 412 unless what it changes is at this ETag.
         * @example "1"
         */
        "If-Match": string;
        /**
         * @description The answer is 304, without a body, while it would have this ETag.
         * @example W/"1f0c"
         */
        "If-None-Match": string;
        /** @description For a stream: the id of the last event that was received. It counts instead of after. */
        "Last-Event-ID": string;
        /**
         * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
         * @example wait=5
         */
        Prefer: string;
        /** @description next_cursor of the page before. Without it, the feed begins with the oldest event that is kept. latest is the end of the feed: the page is empty, and its next_cursor is where the next event will come. */
        after: string;
        /** @description true: only archived ones. Otherwise only those that aren't. */
        archived: boolean;
        booking_id: string;
        /** @description next_cursor of the page before. */
        cursor: string;
        /** @description A booking that is to move: what it occupies counts as free. An id that isn't a booking changes nothing. It needs the scope read too. */
        except_booking: string;
        /**
         * @description First date to compare, in the tenant's time zone.
         * @example 2027-07-01
         */
        from: string;
        /**
         * @description First date.
         * @example 2027-07-01
         */
        from2: string;
        /** @description First date, in the tenant's time zone, on which a payment succeeded or was declined. An open one counts by its last change. */
        from3: string;
        hold_id: string;
        id: string;
        kind: "deposit" | "balance" | "amount" | "refund";
        /** @description How many at most. A page of large events, or of few that pass the filters, has fewer. */
        limit: number;
        /** @description How many at most. A page of large rows has fewer. */
        limit2: number;
        /** @description Only offline payments and refunds of this method. */
        method: "cash" | "transfer" | "terminal";
        /**
         * @description Only those whose name begins with this text, as it is, in small letters, in capitals, or with a capital at its beginning or at that of each word. Of each, the first 1,000 are looked at.
         * @example boat
         */
        name: string;
        party_size: number;
        /** @description true: what the party would pay is told too. Not of services with unit types: their prices are asked by POST /v1/quotes. */
        prices: boolean;
        /** @description false leaves out the slots, which makes the answer small. */
        slots: boolean;
        status: "started" | "unknown" | "processing" | "succeeded" | "declined";
        /**
         * @description Last date; at most 31 dates in all.
         * @example 2027-07-31
         */
        to: string;
        /** @description Last date. */
        to2: string;
        /**
         * @description Only events of these types, separated by commas: types, such as payment.succeeded, or beginnings of types, such as booking.*
         * @example booking.*,payment.succeeded
         */
        types: string;
        /**
         * @description The event's id: the same in every attempt and replay.
         * @example 0197f0c6-3b7e-7c31-8a5e-0d0c5f6b7a10
         */
        "webhook-id": string;
        /**
         * @description Signatures of Standard Webhooks, separated by blanks: v1, and the HMAC-SHA256 of id.timestamp.body, in base64.
         * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
         */
        "webhook-signature": string;
        /**
         * @description When the attempt was made, in seconds since 1970.
         * @example 1782892800
         */
        "webhook-timestamp": string;
    };
    requestBodies: never;
    headers: {
        /** @description The name of the file. */
        "Content-Disposition": string;
        /** @description The version of what is shown, to be sent as If-Match or If-None-Match. */
        ETag: string;
        /** @description true when this is the stored answer of an earlier request with the same key. */
        "Idempotent-Replayed": string;
        /** @description The next page, as next_cursor names it. */
        Link: string;
        /** @description Where the new thing is. */
        Location: string;
        /**
         * @description The preferences that were applied, in one or several headers.
         * @example wait=5
         */
        "Preference-Applied": string;
        /**
         * @description Where the server limits rates: r requests are left to this API key (default) or this visitor (visitor), or r holds, units times nights (stock) or payments to this visitor, and in t seconds there is one more.
         * @example "default";r=50;t=1
         */
        RateLimit: string;
        /**
         * @description Where the server limits rates: q requests at once, and as many again over w seconds.
         * @example "default";q=100;w=1
         */
        "RateLimit-Policy": string;
        /** @description Finds the request in the server's log. It is the request's own Request-Id, if that had one. */
        "Request-Id": string;
        /** @description Seconds to wait before the request is sent again. */
        "Retry-After": number;
        /** @description How to authenticate. */
        "WWW-Authenticate": string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    "list-bookings": {
        parameters: {
            query?: {
                /** @description How many at most. A page of large rows has fewer. */
                limit?: components["parameters"]["limit2"];
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
                /** @description Bookings that end on this date or later, also if they began before. */
                from?: string;
                /** @description Bookings that begin on this date or before. */
                to?: string;
                status?: "held" | "confirmed" | "completed" | "cancelled" | "expired" | "no_show";
                service_id?: string;
                resource_id?: string;
                customer_id?: string;
                /** @description The customer's, whatever its case. */
                email?: string;
                reference?: string;
                external_reference?: string;
                /**
                 * @description As people write it: small letters, spaces and hyphens don't matter.
                 * @example k7mx-2pqr
                 */
                code?: string;
                /** @description How much of the price was captured and not returned: nothing (unpaid), something (partly_paid), the deposit or more (deposit_paid), all of it (paid, also if it costs nothing); refunded: all that was captured was returned or is on its way back. The price is less what refunds lower it by. */
                payment_state?: "unpaid" | "partly_paid" | "deposit_paid" | "paid" | "refunded";
                /** @description true: only bookings of which too much was paid; false: only the others. */
                overpaid?: "true" | "false";
            };
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BookingPage"];
                };
            };
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "create-booking": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewBooking"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Booking"];
                };
            };
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "get-booking": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Booking"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "update-booking": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateBooking"];
            };
        };
        responses: {
            200: components["responses"]["Booking"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "cancel-booking": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Cancel"];
            };
        };
        responses: {
            200: components["responses"]["Booking2"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "get-cancellation-quote": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CancellationQuote"];
                };
            };
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "complete-booking": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Booking2"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "confirm-booking": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Confirm"];
            };
        };
        responses: {
            200: components["responses"]["Booking2"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "extend-booking": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Extend"];
            };
        };
        responses: {
            200: components["responses"]["Booking2"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-booking-history": {
        parameters: {
            query?: {
                /** @description How many at most. A page of large rows has fewer. */
                limit?: components["parameters"]["limit2"];
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["HistoryEntryPage"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "get-booking-link": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BookingLink"];
                };
            };
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "no-show-booking": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["FeeInput"];
            };
        };
        responses: {
            200: components["responses"]["Booking2"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "reschedule-booking": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Reschedule"];
            };
        };
        responses: {
            200: components["responses"]["Booking2"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "quote-booking": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewQuote"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quote"];
                };
            };
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "create-hold": {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days. Of at least 16 characters that nobody can guess, such as crypto.randomUUID() in a browser.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key": components["parameters"]["Idempotency-Key2"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewHold"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Hold"];
                };
            };
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "get-hold": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Hold"];
                };
            };
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "confirm-hold": {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days. Of at least 16 characters that nobody can guess, such as crypto.randomUUID() in a browser.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key": components["parameters"]["Idempotency-Key2"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ConfirmHold"];
            };
        };
        responses: {
            200: components["responses"]["Hold"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "pay-hold": {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days. Of at least 16 characters that nobody can guess, such as crypto.randomUUID() in a browser.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key": components["parameters"]["Idempotency-Key2"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewHoldPayment"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HoldPayment"];
                };
            };
            /** @description Accepted: the end isn't known yet. Repeat the request with the same key, or read the payment. */
            202: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HoldPayment"];
                };
            };
            402: components["responses"]["PaymentRequired"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "get-hold-payment": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
                payment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HoldPayment"];
                };
            };
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "release-hold": {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days. Of at least 16 characters that nobody can guess, such as crypto.randomUUID() in a browser.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key": components["parameters"]["Idempotency-Key2"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Hold"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "get-payment-options": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Options"];
                };
            };
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "get-services-availability": {
        parameters: {
            query: {
                /**
                 * @description Up to 10 services, separated by commas. Either this or resource_id.
                 * @example 0191f3c4-5f0e-7cc0-a4a0-3f6f0c1d2e3f,0191f3c4-5f0e-7cc0-a4a0-3f6f0c1d2e40
                 */
                service_ids?: string;
                /** @description Each service that this resource can serve and that isn't archived. What is free is what a booking can have that names this resource. */
                resource_id?: string;
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
                /**
                 * @description First date.
                 * @example 2027-07-01
                 */
                from: components["parameters"]["from2"];
                party_size?: components["parameters"]["party_size"];
                /** @description true: what the party would pay is told too. Not of services with unit types: their prices are asked by POST /v1/quotes. */
                prices?: components["parameters"]["prices"];
                /** @description false leaves out the slots, which makes the answer small. */
                slots?: components["parameters"]["slots"];
                /** @description A booking that is to move: what it occupies counts as free. An id that isn't a booking changes nothing. It needs the scope read too. */
                except_booking?: components["parameters"]["except_booking"];
                /**
                 * @description Last date; at most 31 dates in all.
                 * @example 2027-07-07
                 */
                to: string;
            };
            header?: {
                /**
                 * @description The answer is 304, without a body, while it would have this ETag.
                 * @example W/"1f0c"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description A weak validator: give it as If-None-Match to get 304 while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServicesAvailability"];
                };
            };
            304: components["responses"]["NotModified"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-services": {
        parameters: {
            query?: {
                /** @description How many at most. A page of large rows has fewer. */
                limit?: components["parameters"]["limit2"];
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
                /** @description true: only archived ones. Otherwise only those that aren't. */
                archived?: components["parameters"]["archived"];
                /**
                 * @description Only those whose name begins with this text, as it is, in small letters, in capitals, or with a capital at its beginning or at that of each word. Of each, the first 1,000 are looked at.
                 * @example boat
                 */
                name?: components["parameters"]["name"];
            };
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ServicePage"];
                };
            };
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "create-service": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServiceSpec"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Service"];
                };
            };
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "get-service": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Service"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "change-service": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeService"];
            };
        };
        responses: {
            200: components["responses"]["Service"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "archive-service": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Archive"];
            };
        };
        responses: {
            200: components["responses"]["Service2"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "get-availability": {
        parameters: {
            query: {
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
                /**
                 * @description First date.
                 * @example 2027-07-01
                 */
                from: components["parameters"]["from2"];
                party_size?: components["parameters"]["party_size"];
                /** @description true: what the party would pay is told too. Not of services with unit types: their prices are asked by POST /v1/quotes. */
                prices?: components["parameters"]["prices"];
                /** @description false leaves out the slots, which makes the answer small. */
                slots?: components["parameters"]["slots"];
                /** @description A booking that is to move: what it occupies counts as free. An id that isn't a booking changes nothing. It needs the scope read too. */
                except_booking?: components["parameters"]["except_booking"];
                /**
                 * @description Last date; at most 366 dates in all.
                 * @example 2027-07-07
                 */
                to: string;
                /** @description Of a stay: how many nights are wanted; if absent, the fewest that are sold from each date. */
                nights?: number;
                /** @description Of a slot service that sells several durations: how long a slot is wanted; the shortest if absent. */
                duration_minutes?: number;
                /** @description In place of duration_minutes. */
                duration_days?: number;
            };
            header?: {
                /**
                 * @description The answer is 304, without a body, while it would have this ETag.
                 * @example W/"1f0c"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    /** @description A weak validator: give it as If-None-Match to get 304 while nothing has changed. */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Availability"];
                };
            };
            304: components["responses"]["NotModified"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-service-conflicts": {
        parameters: {
            query?: {
                /** @description How many at most. A page of large rows has fewer. */
                limit?: components["parameters"]["limit2"];
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ConflictPage"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-service-history": {
        parameters: {
            query?: {
                /** @description How many at most. A page of large rows has fewer. */
                limit?: components["parameters"]["limit2"];
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["HistoryEntryPage"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "unarchive-service": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Service2"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-resources": {
        parameters: {
            query?: {
                /** @description How many at most. A page of large rows has fewer. */
                limit?: components["parameters"]["limit2"];
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
                /** @description true: only archived ones. Otherwise only those that aren't. */
                archived?: components["parameters"]["archived"];
                /**
                 * @description Only those whose name begins with this text, as it is, in small letters, in capitals, or with a capital at its beginning or at that of each word. Of each, the first 1,000 are looked at.
                 * @example boat
                 */
                name?: components["parameters"]["name"];
                /** @description position: by position, then by id. */
                order?: "id" | "position";
            };
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResourcePage"];
                };
            };
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "create-resource": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResourceSpec"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Resource"];
                };
            };
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "get-resource": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Resource"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "change-resource": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeResource"];
            };
        };
        responses: {
            200: components["responses"]["Resource"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "archive-resource": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Archive"];
            };
        };
        responses: {
            200: components["responses"]["Resource2"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-resource-conflicts": {
        parameters: {
            query?: {
                /** @description How many at most. A page of large rows has fewer. */
                limit?: components["parameters"]["limit2"];
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ConflictPage"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-resource-history": {
        parameters: {
            query?: {
                /** @description How many at most. A page of large rows has fewer. */
                limit?: components["parameters"]["limit2"];
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["HistoryEntryPage"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "set-hours": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResourceHours"];
            };
        };
        responses: {
            200: components["responses"]["Resource"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "unarchive-resource": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Resource2"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-closures": {
        parameters: {
            query?: {
                /** @description How many at most. A page of large rows has fewer. */
                limit?: components["parameters"]["limit2"];
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
                /** @description true: only archived ones. Otherwise only those that aren't. */
                archived?: components["parameters"]["archived"];
            };
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClosurePage"];
                };
            };
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "create-closure": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClosureSpec"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Closure"];
                };
            };
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "get-closure": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Closure"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "change-closure": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeClosure"];
            };
        };
        responses: {
            200: components["responses"]["Closure"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "archive-closure": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Closure2"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-closure-history": {
        parameters: {
            query?: {
                /** @description How many at most. A page of large rows has fewer. */
                limit?: components["parameters"]["limit2"];
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["HistoryEntryPage"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "unarchive-closure": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Closure2"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-blocks": {
        parameters: {
            query?: {
                /** @description How many at most. A page of large rows has fewer. */
                limit?: components["parameters"]["limit2"];
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
                /** @description true: only archived ones. Otherwise only those that aren't. */
                archived?: components["parameters"]["archived"];
                /** @description Only those of this resource. */
                resource_id?: string;
                /**
                 * @description Only those that take some time on this date or later.
                 * @example 2027-07-01
                 */
                from?: string;
                /**
                 * @description Only those that take some time on this date or before; with from, between the two.
                 * @example 2027-07-31
                 */
                to?: string;
            };
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlockPage"];
                };
            };
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "create-block": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BlockChange"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Block"];
                };
            };
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "get-block": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Block"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "change-block": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeBlock"];
            };
        };
        responses: {
            200: components["responses"]["Block"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "archive-block": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Block2"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-block-history": {
        parameters: {
            query?: {
                /** @description How many at most. A page of large rows has fewer. */
                limit?: components["parameters"]["limit2"];
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["HistoryEntryPage"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "unarchive-block": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["BlockForce"];
            };
        };
        responses: {
            200: components["responses"]["Block2"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-customers": {
        parameters: {
            query?: {
                /** @description How many at most. A page of large rows has fewer. */
                limit?: components["parameters"]["limit2"];
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
                /** @description true: only archived ones. Otherwise only those that aren't. */
                archived?: components["parameters"]["archived"];
                /** @description Only the customer with this email, in any case. */
                email?: string;
                /** @description Only customers whose name, email or phone begins with this text, as it is, in small letters, in capitals, or with a capital at its beginning or at that of each word. Of each, the first 1,000 are looked at. */
                q?: string;
            };
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CustomerPage"];
                };
            };
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "create-customer": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CustomerSpec"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Customer"];
                };
            };
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "get-customer": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Customer"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "change-customer": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeCustomer"];
            };
        };
        responses: {
            200: components["responses"]["Customer"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "archive-customer": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Customer2"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "erase-customer": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Customer2"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "export-customer": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    "Content-Disposition": components["headers"]["Content-Disposition"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CustomerExport"];
                };
            };
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-customer-history": {
        parameters: {
            query?: {
                /** @description How many at most. A page of large rows has fewer. */
                limit?: components["parameters"]["limit2"];
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["HistoryEntryPage"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "merge-customer": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MergeCustomerInput"];
            };
        };
        responses: {
            200: components["responses"]["Customer2"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "unarchive-customer": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Customer2"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "get-balance": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Balance"];
                };
            };
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-payments": {
        parameters: {
            query?: {
                /** @description How many at most. A page of large rows has fewer. */
                limit?: components["parameters"]["limit2"];
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentPage"];
                };
            };
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "create-payment": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPayment"];
            };
        };
        responses: {
            201: components["responses"]["PaymentCreated"];
            202: components["responses"]["PaymentAccepted"];
            402: components["responses"]["PaymentRequired"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "refund-overpaid": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            201: components["responses"]["PaymentCreated"];
            202: components["responses"]["PaymentAccepted"];
            402: components["responses"]["PaymentRequired"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "get-payment-account": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["PaymentAccount"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "create-payment-account": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPaymentAccount"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaymentAccount"];
                };
            };
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "create-onboarding-link": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewOnboardingLink"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OnboardingLink"];
                };
            };
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-all-payments": {
        parameters: {
            query?: {
                /** @description How many at most. A page of large rows has fewer. */
                limit?: components["parameters"]["limit2"];
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
                /** @description First date, in the tenant's time zone, on which a payment succeeded or was declined. An open one counts by its last change. */
                from?: components["parameters"]["from3"];
                /** @description Last date. */
                to?: components["parameters"]["to2"];
                kind?: components["parameters"]["kind"];
                status?: components["parameters"]["status"];
                booking_id?: components["parameters"]["booking_id"];
                /** @description Only offline payments and refunds of this method. */
                method?: components["parameters"]["method"];
            };
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedPaymentPage"];
                };
            };
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-all-payments-csv": {
        parameters: {
            query?: {
                /** @description How many at most. A page of large rows has fewer. */
                limit?: components["parameters"]["limit2"];
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
                /** @description First date, in the tenant's time zone, on which a payment succeeded or was declined. An open one counts by its last change. */
                from?: components["parameters"]["from3"];
                /** @description Last date. */
                to?: components["parameters"]["to2"];
                kind?: components["parameters"]["kind"];
                status?: components["parameters"]["status"];
                booking_id?: components["parameters"]["booking_id"];
                /** @description Only offline payments and refunds of this method. */
                method?: components["parameters"]["method"];
            };
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["OK"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "sum-offline-payments": {
        parameters: {
            query: {
                /**
                 * @description First date, in the tenant's time zone.
                 * @example 2027-07-01
                 */
                from: string;
                /**
                 * @description Last date; at most 31 dates in all.
                 * @example 2027-07-31
                 */
                to: components["parameters"]["to"];
            };
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OfflineDays"];
                };
            };
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "get-payment": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                };
            };
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "cancel-payment": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Payment"];
            202: components["responses"]["PaymentAccepted"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "complete-refund": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OfflineRefund"];
            };
        };
        responses: {
            200: components["responses"]["Payment"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "get-receipt": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Receipt"];
                };
            };
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "get-receipt-pdf": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/pdf": string;
                };
            };
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "create-refund": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewRefund"];
            };
        };
        responses: {
            201: components["responses"]["PaymentCreated"];
            202: components["responses"]["PaymentAccepted"];
            402: components["responses"]["PaymentRequired"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    reconcile: {
        parameters: {
            query: {
                /**
                 * @description First date to compare, in the tenant's time zone.
                 * @example 2027-07-01
                 */
                from: components["parameters"]["from"];
                /**
                 * @description Last date; at most 31 dates in all.
                 * @example 2027-07-31
                 */
                to: components["parameters"]["to"];
            };
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Reconciliation"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    transfer: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTransfer"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Transfer"];
                };
            };
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-wallets": {
        parameters: {
            query?: {
                /** @description How many at most. A page of large rows has fewer. */
                limit?: components["parameters"]["limit2"];
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
                /** @description Only the wallets of this customer. */
                customer_id?: string;
            };
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletPage"];
                };
            };
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "create-wallet": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWallet"];
            };
        };
        responses: {
            201: components["responses"]["NewWalletCreated"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "look-up-wallet": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WalletCode"];
            };
        };
        responses: {
            200: components["responses"]["Wallet"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "get-wallet": {
        parameters: {
            query?: {
                /** @description The wallet as it was at this time, which has passed. */
                as_of?: string;
            };
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Wallet"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "credit-wallet": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Credit"];
            };
        };
        responses: {
            201: components["responses"]["LedgerTransactionCreated"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "debit-wallet": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Debit"];
            };
        };
        responses: {
            201: components["responses"]["LedgerTransactionCreated"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-wallet-entries": {
        parameters: {
            query?: {
                /** @description How many at most. A page of large rows has fewer. */
                limit?: components["parameters"]["limit2"];
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WalletEntryPage"];
                };
            };
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-wallet-entries-csv": {
        parameters: {
            query?: {
                /** @description How many at most. A page of large rows has fewer. */
                limit?: components["parameters"]["limit2"];
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["OK"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "hold-wallet": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Debit"];
            };
        };
        responses: {
            201: components["responses"]["LedgerTransactionCreated"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "capture-wallet-hold": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
                hold_id: components["parameters"]["hold_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Capture"];
            };
        };
        responses: {
            201: components["responses"]["LedgerTransactionCreated"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "release-wallet-hold": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
                hold_id: components["parameters"]["hold_id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Description"];
            };
        };
        responses: {
            201: components["responses"]["LedgerTransactionCreated"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "rotate-wallet-code": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            201: components["responses"]["NewWalletCreated"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-events": {
        parameters: {
            query?: {
                /** @description next_cursor of the page before. Without it, the feed begins with the oldest event that is kept. latest is the end of the feed: the page is empty, and its next_cursor is where the next event will come. */
                after?: components["parameters"]["after"];
                /**
                 * @description Only events of these types, separated by commas: types, such as payment.succeeded, or beginnings of types, such as booking.*
                 * @example booking.*,payment.succeeded
                 */
                types?: components["parameters"]["types"];
                /** @description How many at most. A page of large events, or of few that pass the filters, has fewer. */
                limit?: components["parameters"]["limit"];
                /** @description Only events of the booking or customer with this id. */
                subject?: string;
            };
            header?: {
                /** @description For a stream: the id of the last event that was received. It counts instead of after. */
                "Last-Event-ID"?: components["parameters"]["Last-Event-ID"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventPage"];
                    "text/event-stream": string;
                };
            };
            410: components["responses"]["Gone"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-booking-deliveries": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["DeliveryPage"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "get-delivery": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["DeliveryWithLog"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "replay-delivery": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Delivery"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-webhook-endpoints": {
        parameters: {
            query?: {
                /** @description How many at most. A page of large rows has fewer. */
                limit?: components["parameters"]["limit2"];
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["WebhookEndpointPage"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "create-webhook-endpoint": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewEndpoint"];
            };
        };
        responses: {
            201: components["responses"]["EndpointWithSecretCreated"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "get-webhook-endpoint": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["WebhookEndpoint"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "delete-webhook-endpoint": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["NoContent2"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "change-webhook-endpoint": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangedEndpoint"];
            };
        };
        responses: {
            200: components["responses"]["WebhookEndpoint"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-deliveries": {
        parameters: {
            query?: {
                /** @description How many at most. A page of large rows has fewer. */
                limit?: components["parameters"]["limit2"];
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["DeliveryPage"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "ping-webhook-endpoint": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            201: components["responses"]["DeliveryCreated"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "replay-webhook-events": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EventRange"];
            };
        };
        responses: {
            200: components["responses"]["Range"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "rotate-webhook-secret": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["EndpointWithSecret"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-scheduled-events": {
        parameters: {
            query?: {
                /** @description How many at most. A page of large rows has fewer. */
                limit?: components["parameters"]["limit2"];
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
                /** @example booking.reminder */
                kind?: "booking.anniversary" | "booking.follow_up" | "booking.hold_expiry" | "booking.reminder" | "customer.birthday" | "message.email" | "message.owner_email" | "message.payment_email" | "message.plan" | "message.plan_ahead" | "payment.balance_due" | "payment.ended_booking" | "payment.resolution" | "user.sign_in_link" | "wallet.credit_expiry" | "webhook.delivery";
                status?: "pending" | "processing" | "completed" | "failed" | "dead" | "cancelled";
                /** @description The id of a booking, a customer, a payment or another thing that events are about. */
                subject?: string;
                /**
                 * @description RFC 3339 with an offset; events that are due at it are left out.
                 * @example 2027-07-01T00:00:00Z
                 */
                due_before?: string;
            };
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduledEventPage"];
                };
            };
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "get-scheduled-event": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduledEventDetails"];
                };
            };
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "cancel-scheduled-event": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ScheduledEvent"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "replay-scheduled-event": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ScheduledEvent"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "get-tenant": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["TenantSettings"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "change-tenant": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeTenant"];
            };
        };
        responses: {
            200: components["responses"]["TenantSettings"];
            204: components["responses"]["NoContent"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-tenant-conflicts": {
        parameters: {
            query?: {
                /** @description How many at most. A page of large rows has fewer. */
                limit?: components["parameters"]["limit2"];
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ConflictPage"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "preview-email": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EmailPreview"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EmailPreviewResult"];
                };
            };
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "get-tenant-hours": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Hours"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "set-tenant-hours": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Hours"];
            };
        };
        responses: {
            200: components["responses"]["Hours"];
            204: components["responses"]["NoContent"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "set-logo": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Logo"];
            };
        };
        responses: {
            200: components["responses"]["TenantSettings"];
            204: components["responses"]["NoContent"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "remove-logo": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["NoContent2"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-own-api-keys": {
        parameters: {
            query?: {
                /** @description How many at most. A page of large rows has fewer. */
                limit?: components["parameters"]["limit2"];
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ApiKeyPage"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "create-own-api-key": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewKey"];
            };
        };
        responses: {
            201: components["responses"]["NewApiKeyCreated"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "get-own-api-key": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ApiKey"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "revoke-own-api-key": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["NoContent2"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "change-own-api-key": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangedKey"];
            };
        };
        responses: {
            200: components["responses"]["ApiKey"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "rotate-own-api-key": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateKey"];
            };
        };
        responses: {
            201: components["responses"]["NewApiKeyCreated"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-users": {
        parameters: {
            query?: {
                /** @description How many at most. A page of large rows has fewer. */
                limit?: components["parameters"]["limit2"];
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UserPage"];
                };
            };
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "invite-user": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserSpec"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "get-user": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["User"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "remove-user": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["NoContent2"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "change-user": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
                /**
                 * @description wait=<seconds>, from 1 to 3600, is how long the client is willing to wait (RFC 7240). What can't be begun within this time gets 503 overloaded, and nothing was written. return=minimal asks for a response without a body, where a change would show what it made or changed; see 204. stale=<seconds>, from 1 to 3600, lets availability and some lists be as of a moment that lies that long ago at most. Other preferences are ignored.
                 * @example wait=5
                 */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeUser"];
            };
        };
        responses: {
            200: components["responses"]["User"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "get-operator-delivery": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["DeliveryWithLog"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "replay-operator-delivery": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Delivery"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-events-of-all-tenants": {
        parameters: {
            query?: {
                /** @description next_cursor of the page before. Without it, the feed begins with the oldest event that is kept. latest is the end of the feed: the page is empty, and its next_cursor is where the next event will come. */
                after?: components["parameters"]["after"];
                /**
                 * @description Only events of these types, separated by commas: types, such as payment.succeeded, or beginnings of types, such as booking.*
                 * @example booking.*,payment.succeeded
                 */
                types?: components["parameters"]["types"];
                /** @description How many at most. A page of large events, or of few that pass the filters, has fewer. */
                limit?: components["parameters"]["limit"];
                /** @description Only events of this tenant. */
                tenant_id?: string;
            };
            header?: {
                /** @description For a stream: the id of the last event that was received. It counts instead of after. */
                "Last-Event-ID"?: components["parameters"]["Last-Event-ID"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatorEventPage"];
                    "text/event-stream": string;
                };
            };
            410: components["responses"]["Gone"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-locks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Locks"];
                };
            };
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-payments-of-all-tenants": {
        parameters: {
            query?: {
                /** @description How many at most. A page of large rows has fewer. */
                limit?: components["parameters"]["limit2"];
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
                /**
                 * @description Only payments that were made then or later.
                 * @example 2026-12-01T00:00:00Z
                 */
                from?: string;
                /**
                 * @description Only payments that were made before.
                 * @example 2027-01-01T00:00:00Z
                 */
                until?: string;
                /** @description Only payments of this tenant. */
                tenant_id?: string;
                status?: components["parameters"]["status"];
                /** @description Only the payment or refund to which the provider gave this id. */
                provider_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatorPaymentPage"];
                };
            };
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-tenants": {
        parameters: {
            query?: {
                /** @description How many at most. A page of large rows has fewer. */
                limit?: components["parameters"]["limit2"];
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
                /**
                 * @description Only the tenant with this slug.
                 * @example harbour
                 */
                slug?: string;
                /** @description Only tenants with this status. Otherwise all but the deleted ones. */
                status?: "active" | "suspended" | "deleting" | "deleted";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatorTenantPage"];
                };
            };
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "create-tenant": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTenant"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tenant"];
                };
            };
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "read-tenant": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["OperatorTenant"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "delete-tenant": {
        parameters: {
            query: {
                /**
                 * @description Of the last line of the tenant's last export.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                export_id: string;
            };
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted */
            202: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperatorTenant"];
                };
            };
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "correct-tenant": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CorrectTenant"];
            };
        };
        responses: {
            200: components["responses"]["OperatorTenant"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-api-keys": {
        parameters: {
            query?: {
                /** @description How many at most. A page of large rows has fewer. */
                limit?: components["parameters"]["limit2"];
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["ApiKeyPage"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "create-api-key": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["IssuedKey"];
            };
        };
        responses: {
            201: components["responses"]["NewApiKeyCreated"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "revoke-api-key": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["id"];
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["NoContent2"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "export-tenant": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "read-tenant-payment-account": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["PaymentAccount"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "change-tenant-payment-account": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeTenantPaymentAccount"];
            };
        };
        responses: {
            200: components["responses"]["PaymentAccount"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "reconcile-tenant": {
        parameters: {
            query: {
                /**
                 * @description First date to compare, in the tenant's time zone.
                 * @example 2027-07-01
                 */
                from: components["parameters"]["from"];
                /**
                 * @description Last date; at most 31 dates in all.
                 * @example 2027-07-31
                 */
                to: components["parameters"]["to"];
            };
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Reconciliation"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "resume-tenant": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["OperatorTenant2"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "suspend-tenant": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Suspend"];
            };
        };
        responses: {
            200: components["responses"]["OperatorTenant2"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-operator-webhook-endpoints": {
        parameters: {
            query?: {
                /** @description How many at most. A page of large rows has fewer. */
                limit?: components["parameters"]["limit2"];
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["WebhookEndpointPage"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "create-operator-webhook-endpoint": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewEndpoint"];
            };
        };
        responses: {
            201: components["responses"]["EndpointWithSecretCreated"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "get-operator-webhook-endpoint": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["WebhookEndpoint"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "delete-operator-webhook-endpoint": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: components["responses"]["NoContent2"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "change-operator-webhook-endpoint": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The change is refused with 412 unless what it changes is at this ETag.
                 * @example "1"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangedEndpoint"];
            };
        };
        responses: {
            200: components["responses"]["WebhookEndpoint"];
            204: components["responses"]["NoContent"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["PreconditionFailed"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "list-operator-deliveries": {
        parameters: {
            query?: {
                /** @description How many at most. A page of large rows has fewer. */
                limit?: components["parameters"]["limit2"];
                /** @description next_cursor of the page before. */
                cursor?: components["parameters"]["cursor"];
            };
            header?: never;
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["DeliveryPage"];
            404: components["responses"]["NotFound"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "ping-operator-webhook-endpoint": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            201: components["responses"]["DeliveryCreated"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "replay-operator-webhook-events": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EventRange"];
            };
        };
        responses: {
            200: components["responses"]["Range"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            410: components["responses"]["Gone"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "rotate-operator-webhook-secret": {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A new value for every new change, the same one for every retry of it. Kept for 30 days.
                 * @example 6f1c2b1e-0a53-4f7e-9b0a-2b6b8f6d2a11
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                id: components["parameters"]["id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["EndpointWithSecret"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["UnprocessableEntity"];
            "4XX": components["responses"]["Refused"];
            "5XX": components["responses"]["Failed"];
        };
    };
    "receive-event": {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The event's id: the same in every attempt and replay.
                 * @example 0197f0c6-3b7e-7c31-8a5e-0d0c5f6b7a10
                 */
                "webhook-id": components["parameters"]["webhook-id"];
                /**
                 * @description When the attempt was made, in seconds since 1970.
                 * @example 1782892800
                 */
                "webhook-timestamp": components["parameters"]["webhook-timestamp"];
                /**
                 * @description Signatures of Standard Webhooks, separated by blanks: v1, and the HMAC-SHA256 of id.timestamp.body, in base64.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": components["parameters"]["webhook-signature"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEvent"];
            };
        };
        responses: {
            /** @description No more webhooks, please: the endpoint becomes gone. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The delivery is complete. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Tried again, up to ten times in three days; after 429 and 503 not before Retry-After. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}

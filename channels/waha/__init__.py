"""WhatsApp through a WAHA gateway: webhooks in, HTTP calls out."""

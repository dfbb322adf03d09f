"""The door for events that other programs send to webhooks: signed, limited, answered before their runs go on."""

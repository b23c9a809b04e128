"""Why a model gives a case its class: one kind of explanation for each kind of model."""

"""The API that other chat programs speak: /v1/models, /v1/chat/completions, /v1/embeddings."""

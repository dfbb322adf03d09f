"""A bare FastAPI route on the same uvicorn: `bare.py PORT`. It is what the server's routes are compared with."""

import sys

import uvicorn
from fastapi import FastAPI

app = FastAPI()


@app.get("/")
async def read() -> dict[str, str]:
    return {"status": "ok"}


if __name__ == "__main__":
    uvicorn.run(
        app,
        port=int(sys.argv[1]),
        loop="asyncio",
        http="httptools",
        access_log=False,
        log_level="critical",
    )

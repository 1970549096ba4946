# Recollect's server and worker, without compilers and without a user's rights on anything.
FROM python:3.11-slim
WORKDIR /app
COPY requirements/server.txt requirements/server.txt
RUN pip install --no-cache-dir --no-deps --require-hashes -r requirements/server.txt
COPY channels channels
COPY evals evals
COPY graph graph
COPY memory memory
COPY nodes nodes
COPY server server
COPY ui ui
ENV PYTHONPATH=/app PYTHONUNBUFFERED=1
USER 65534
EXPOSE 8000
ENTRYPOINT ["python", "-m", "ui.cli.main"]
CMD ["serve", "--host", "0.0.0.0"]

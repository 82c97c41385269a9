/** Ends with 0 if the server of this machine at PORT is ready, else with 1 and the reason: the health check of the image. */
try {
  const response = await fetch(`http://127.0.0.1:${process.env.PORT || 3000}/health/ready`)
  if (!response.ok) throw new Error(await response.text())
} catch (error) {
  console.error(error.message)
  process.exit(1)
}

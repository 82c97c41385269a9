/** What the server says when it serves: its address, and what to try first. */
import type { Config } from '../config.ts'

export function greeting({ demo, host, baseUrl, webhookSecret }: Config, port: number): string {
  const address = baseUrl ?? `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  if (!demo) return `Sandbox EMR answers at ${address}`
  return `Sandbox EMR answers at ${address}  (demo clinic: log in as demo / demo, or admin / admin)

FHIR:
  TOKEN=$(curl -s ${address}/session -H 'content-type: application/json' -d '{"username":"demo","password":"demo"}' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')
  curl -s "${address}/Patient?_count=3&_pretty=true" -H "Authorization: Bearer $TOKEN"

A tool of a live call:
  curl -s ${address}/patient-intake/validate_intake_field -H 'content-type: application/json' -H 'x-voice-secret: ${shownSecret(webhookSecret)}' \\
    -d '{"message":{"toolCalls":[{"id":"1","function":{"arguments":{"fieldName":"email","value":"john dot doe at example dot com"}}}]}}'
`
}

/** A secret of the operator's own is not printed. */
function shownSecret(secret: string): string {
  return secret === 'demo-secret' ? secret : '<WEBHOOK_SECRET>'
}

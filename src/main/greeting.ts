/** The message printed when the server is ready: its URL, and requests to try first. */
import type { Config } from '../config.ts'
import { addressAt } from '../http/host-address.ts'

/** The message for a server that listens on `port`. */
export function greeting({ demo, dashboard, host, baseUrl, webhookSecret }: Config, port: number): string {
  const url = baseUrl ?? addressAt(host, port)
  if (!demo) return `Sandbox EMR runs at ${url}`
  return `Sandbox EMR runs at ${url}  (demo clinic: log in as demo / demo, or admin / admin)
${dashboard ? `Look at it in a browser: ${url}/dashboard\n` : ''}
FHIR:
  TOKEN=$(curl -s ${url}/session -H 'content-type: application/json' -d '{"username":"demo","password":"demo"}' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')
  curl -s "${url}/Patient?_count=3&_pretty=true" -H "Authorization: Bearer $TOKEN"

A tool of a live call:
  curl -s ${url}/patient-intake/validate_intake_field -H 'content-type: application/json' -H 'x-voice-secret: ${shownSecret(webhookSecret)}' \\
    -d '{"message":{"toolCalls":[{"id":"1","function":{"arguments":{"fieldName":"email","value":"john dot doe at example dot com"}}}]}}'
`
}

/** Only the demo's default secret is printed. */
function shownSecret(secret: string): string {
  return secret === 'demo-secret' ? secret : '<WEBHOOK_SECRET>'
}

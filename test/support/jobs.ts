/** Jobs, as a client waits for them. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FhirResponse, TestServer } from './server.ts'

/** The path of a job, from the response that has accepted it. */
export function startedJob({ status, headers, text }: FhirResponse): string {
  if (status !== 202) throw new Error(`Not accepted: ${status} ${text}`)
  return new URL(headers.get('content-location') ?? '').pathname
}

/** The state of a job once it has ended. */
export async function ended(fhir: TestServer['fhir'], path: string): Promise<FhirResponse> {
  for (;;) {
    const state = await fhir('GET', path)
    if (state.status !== 202) return state
    await sleep(50)
  }
}

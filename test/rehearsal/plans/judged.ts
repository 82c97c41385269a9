/** Runs of reference clients, judged by the server. */
import type { StepReport } from '../../../src/rehearsal/runs/run.ts'
import { askAs, type Rehearsed } from '../rehearsed.ts'
import type { ClientClass } from './clients/client.ts'
import type { OpenedRun } from './clients/connection.ts'

interface Opened extends OpenedRun {
  readonly run: string
  readonly clinic: string
}

/** A step as the server shows it. */
interface ShownStep extends StepReport {
  readonly attest?: string
}

/**
 * The steps of a run that is finished, in a clinic of its own with the plan's scenario.
 * @param denied the step whose sentence is said not to be true; those of all others are
 */
export async function judged(
  { server, ask }: Rehearsed,
  plan: string,
  client: ClientClass,
  denied?: string,
): Promise<readonly ShownStep[]> {
  const { status, text, body } = await ask('POST', '/runs', {
    plan,
    clientName: client.name || 'a client',
    clone: true,
  })
  if (status !== 201) throw new Error(text)
  const opened = body as Opened
  const atRun = (method: string, path: string, sent?: unknown) =>
    askAs(server, opened.token, method, `/clinics/${opened.clinic}/runs/${opened.run}${path}`, sent)
  await new client(opened).run()
  for (const { id, attest } of (await atRun('GET', '')).body.steps as readonly ShownStep[])
    if (attest !== undefined) await atRun('POST', '/attest', { step: id, ok: id !== denied })
  const finished = await atRun('POST', '/finish', {})
  const removed = await askAs(server, opened.token, 'DELETE', `/clinics/${opened.clinic}`)
  if (removed.status !== 204) throw new Error(removed.text)
  return finished.body.steps
}

/** A step with its result, and the reason where it is not passed. */
export const saidOf = ({ id, result, message }: ShownStep): string =>
  result === 'pass' ? id : `${id} ${result}: ${message}`

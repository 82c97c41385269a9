/** Faults of tool calls, within the envelope: docs/faults.md */
import type { Context as KoaContext } from 'koa'
import { type Envelope, isReadable } from '../calls/envelope.ts'
import type { EndedCall, RunResult, ToolAddress } from '../calls/tool-runner.ts'
import { clinicFacts } from '../clinics/clinics.ts'
import type { CallSession } from '../core/call-session.ts'
import { FhirError } from '../fhir/outcome.ts'
import { exchangeOf, mayBelongToRun, mayMeetFaults, runOf } from '../http/exchange.ts'
import { faultsNamedBy, meetToolFaults } from '../http/faults.ts'
import { faultsOfRun, joinRunOf } from '../http/runs.ts'
import { firedAs, firedFor } from '../rehearsal/faults/fired.ts'
import { rulesIn } from '../rehearsal/faults/rules.ts'
import type { Repository } from '../repository/repository.ts'
import { accessByCall } from './platform-request.ts'

type Results = readonly RunResult[]

export interface ToolFaults {
  /** Before the call is known. @throws FhirError 400 where the header names an unknown fault */
  check(koa: KoaContext): void
  /** Once it is. @throws AnsweredByFault */
  meet(koa: KoaContext, session: CallSession, tools: readonly string[]): Promise<void>
  /** Before a tool runs. @throws FhirError with which it fails */
  beforeTool(tool: string): void
  /** Runs the same tool calls beside their first run, if the platform repeats them at once. */
  repeat(run: () => Promise<Results>): Promise<unknown>
  /** The results as they are sent. */
  broken(results: Results, tools: readonly string[]): Results
}

/** None where nobody rehearses. */
export const NO_TOOL_FAULTS: ToolFaults = {
  check: () => {},
  meet: async () => {},
  beforeTool: () => {},
  repeat: async () => {},
  broken: (results) => results,
}

export const toolFaults = (repository: Repository): ToolFaults => ({
  check: (koa) => {
    if (mayMeetFaults(koa)) faultsNamedBy(koa)
  },
  meet: async (koa, session, tools) => {
    const { clinic } = session
    const facts = await clinicFacts(repository, clinic)
    if (mayBelongToRun(koa, facts)) joinRunOf(koa, repository, facts, { call: session.callId })
    if (!mayMeetFaults(koa, facts)) return
    const of = { clinic, ...(facts && { rules: rulesIn(facts), run: faultsOfRun(koa, facts) }) }
    const query = new URLSearchParams(koa.querystring)
    const ofFhir = { interactions: [], type: '' }
    const ofCall = { call: session.callId, run: runOf(koa), tools }
    try {
      await meetToolFaults(koa, repository, of, {
        ...{ of: 'tools', path: koa.path, query },
        ...ofFhir,
        ...ofCall,
      })
    } catch (error) {
      // No tool will run, which would have named the clinic of the exchange.
      exchangeOf(koa).accesses = [accessByCall(notRun(session, tools))]
      throw error
    }
  },
  beforeTool: (tool) => {
    if (firedFor('tool-transient', tool) !== undefined) throw transient()
  },
  repeat: async (run) => {
    // The outcome of the second run reaches nobody.
    if (firedAs('duplicate') !== undefined) await run().catch(() => {})
  },
  broken: (results, tools) =>
    results.map((one, index) =>
      firedFor('tool-broken', tools[index] ?? '') === undefined ? one : { ...one, result: halfOf(one.result) },
    ),
})

/** A tool call as it ends with its request. */
const notRun = (session: CallSession, [tool = '']: readonly string[]): EndedCall => ({
  ...{ tool, session, clinic: session.clinic, status: 0 },
  patients: session.patient === undefined ? [] : [session.patient],
})

/** The name of the tool of each call, or ''. */
export const toolsOf = ({ toolName }: ToolAddress, { calls }: Envelope): readonly string[] =>
  calls.map((call) => toolName ?? (isReadable(call) && typeof call.name === 'string' ? call.name : ''))

const halfOf = (text: string): string => text.slice(0, Math.ceil(text.length / 2))

const transient = (): FhirError =>
  new FhirError(503, {
    code: 'transient',
    diagnostics: 'The system cannot be reached at the moment; nothing was changed. Call the tool again',
  })

/** A call as far as it is kept: its log, its Encounter, what it wrote, who called whom, and its requests. */
import { useQuery } from '@tanstack/react-query'
import type { Communication, Encounter, FhirResource, Provenance } from 'fhir/r4'
import { getAll } from '../../api/all-pages.ts'
import { get } from '../../api/client.ts'
import { exchangesOfCall } from '../../api/exchanges.ts'
import { Problem } from '../../api/problem.ts'
import type { Parameters } from '../../api/queries.ts'
import { type KeptCall, recordingOf } from '../../api/save-call.ts'
import { ofCall } from '../../fhir/calls.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { conversationOf } from './conversation.ts'

/** The first part of the keys of queries for a call: see useFresh. */
export const CALL_QUERY = 'call'

/** Tool calls; of a longer call, as the default call may be, the latest are read. */
const MOST = 1_000

/** @param callId '' for none */
export function useCall(callId: string) {
  const { id: clinic } = useClinic()
  return useQuery({
    queryKey: [CALL_QUERY, clinic, callId],
    queryFn: ({ signal }) => readCall(clinic, callId, signal),
    enabled: callId !== '',
  })
}

export type ShownCall = Awaited<ReturnType<typeof readCall>>

/** All parts at once, so that what is shown does not move when more of it arrives. */
export async function readCall(clinic: string, callId: string, signal?: AbortSignal) {
  const all = <T extends FhirResource>(type: T['resourceType'], parameters: Parameters) =>
    getAll<T>(type, parameters, MOST, signal)
  const written = ofCall(callId).map(([, id]) => ['entity:Encounter.identifier', id] as const)
  const [log, encounters, provenances, kept, exchanges] = await Promise.all([
    all<Communication>('Communication', [...ofCall(callId), ['_sort', '-sent']]),
    all<Encounter>('Encounter', ofCall(callId)),
    all<Provenance>('Provenance', [...written, ['_sort', 'recorded']]),
    ifReadable(get<KeptCall>(`clinics/${clinic}/calls/${encodeURIComponent(callId)}`, signal)),
    ifReadable(exchangesOfCall(clinic, callId, signal)),
  ])
  const encounter = encounters.matches[0]
  const recording = recordingOf({ callId, kept, encounter, communications: log.matches })
  return {
    recording,
    encounter,
    patient: kept?.patient,
    endedAt: kept?.endedAt ?? encounter?.period?.end,
    isKept: kept !== undefined,
    isCut: log.isCut,
    ...conversationOf(recording.log, provenances.matches, exchanges ?? []),
  }
}

/** Undefined for what is not kept any more, or not for this user. */
const ifReadable = <T>(reading: Promise<T>): Promise<T | undefined> =>
  reading.catch((error: unknown) => {
    if (error instanceof Problem && (error.status === 404 || error.status === 403)) return undefined
    throw error
  })

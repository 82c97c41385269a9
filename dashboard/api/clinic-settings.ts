/** The settings of a clinic with their tag, to change them: docs/clinics.md. */
import { queryOptions } from '@tanstack/react-query'
import { send } from './client.ts'
import { errorText, isRecord, Problem } from './problem.ts'

export type Settings = Readonly<Record<string, unknown>>

export interface TaggedSettings {
  readonly settings: Settings
  readonly tag: string
}

export const taggedSettingsOf = (clinic: string) =>
  queryOptions({
    queryKey: ['clinic', clinic, 'tagged settings'],
    queryFn: () => readSettings(clinic),
    // A refetch must not replace settings while the user edits them.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })

export async function readSettings(clinic: string): Promise<TaggedSettings> {
  const { body, headers } = await send<Settings>({ path: `clinics/${clinic}/settings` })
  return { settings: body, tag: headers.get('etag') ?? '' }
}

/** @throws Problem 412 where somebody has changed them since, 422 with what is wrong */
export async function writeSettings(clinic: string, { settings, tag }: TaggedSettings): Promise<TaggedSettings> {
  const { body, headers } = await send<Settings>({
    method: 'PUT',
    path: `clinics/${clinic}/settings`,
    body: settings,
    headers: { 'if-match': tag },
  })
  return { settings: body, tag: headers.get('etag') ?? '' }
}

/** The faults of the settings, one sentence each, beginning with the path of the setting. */
export function problemsIn(error: unknown): readonly string[] {
  if (error instanceof Problem && isRecord(error.body) && Array.isArray(error.body.problems)) {
    return error.body.problems.map(String)
  }
  return [errorText(error)]
}

export interface Trial {
  readonly outcome: string
  readonly reason: string
  /** Milliseconds. */
  readonly duration: number
}

/** Sends one request to the system that the stored settings name: docs/crm.md#trying-a-connector. @throws Problem */
export const tryConnector = async (clinic: string, connector: string): Promise<Trial> =>
  (await send<Trial>({ method: 'POST', path: `clinics/${clinic}/connectors/${connector}/$try` })).body

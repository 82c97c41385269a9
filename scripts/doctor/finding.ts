/** Findings of `npm run doctor`: each line says that something is right, or what to do. None has patient data or a secret. */

export interface Finding {
  /** `note`: it may be meant so. */
  readonly state: 'ok' | 'note' | 'to do'
  /** The part of the service. */
  readonly of: string
  readonly said: string
}

/** The findings about one part. */
export const about = (of: string) => ({
  ok: (said: string): Finding => ({ state: 'ok', of, said }),
  note: (said: string): Finding => ({ state: 'note', of, said }),
  toDo: (said: string): Finding => ({ state: 'to do', of, said }),
})

/** Findings, or that all is right where there are none. */
export const unless = (findings: readonly Finding[], right: Finding): readonly Finding[] =>
  findings.length === 0 ? [right] : findings

/** A few of many, for a person to begin with. */
export function some(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(', ')
  return names.length > 3 ? `${shown}, and ${names.length - 3} more` : shown
}

export const megabytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MB`

const LABELS = { ok: 'ok   ', note: 'note ', 'to do': 'TO DO' } as const

export const lineOf = ({ state, of, said }: Finding): string => `${LABELS[state]}  ${of.padEnd(13)}  ${said}`

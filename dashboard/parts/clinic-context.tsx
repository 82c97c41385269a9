/** The clinic and the user whose dashboard it is, for all that is shown of it. */
import { createContext, type ReactNode, useContext } from 'react'
import type { ClinicSettings } from '../api/clinic.ts'
import type { Session } from '../api/session.ts'
import { writeTimesAs } from '../fhir/time.ts'

export interface Clinic {
  readonly id: string
  readonly name: string
  /** IANA name. All times are shown in it, whatever the zone of the browser. */
  readonly timeZone: string
  readonly settings: ClinicSettings
  /** Whether it can be rehearsed in: reset, and given faults and another time. */
  readonly isRehearsal: boolean
}

interface Here {
  readonly session: Session
  readonly clinic: Clinic | undefined
}

const HereContext = createContext<Here | undefined>(undefined)

export function HereProvider({ here, children }: { readonly here: Here; readonly children: ReactNode }) {
  // Before anything of the clinic is drawn, and again when its settings change.
  if (here.clinic !== undefined) writeTimesAs(here.clinic.settings)
  return <HereContext value={here}>{children}</HereContext>
}

/** Where there is a clinic, as on all pages but those of the service. */
export function useClinic(): Clinic {
  const { clinic } = useHere()
  if (clinic === undefined) throw new Error('This page is about a clinic, and this user is of none.')
  return clinic
}

export const useMaybeClinic = (): Clinic | undefined => useHere().clinic

export const useUser = (): Session => useHere().session

function useHere(): Here {
  const here = useContext(HereContext)
  if (here === undefined) throw new Error('Nothing is shown of a clinic before somebody has signed in.')
  return here
}

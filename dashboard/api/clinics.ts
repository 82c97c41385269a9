/** The clinics of the service, for operators: docs/clinics.md. */
import { queryOptions } from '@tanstack/react-query'
import { get, send } from './client.ts'

export interface ListedClinic {
  readonly id: string
  readonly name: string
}

interface Page {
  readonly clinics: readonly ListedClinic[]
  readonly next?: string
}

/** Pages that are read, of a hundred clinics each. */
const MOST = 10

export const clinicList = queryOptions({
  queryKey: ['clinics'],
  queryFn: async ({ signal }) => {
    const clinics: ListedClinic[] = []
    let next: string | undefined = 'clinics'
    for (let page = 0; next !== undefined && page < MOST; page += 1) {
      const found: Page = await get<Page>(next, signal)
      clinics.push(...found.clinics)
      next = found.next
    }
    return { clinics, isCut: next !== undefined }
  },
})

export interface NewClinic extends ListedClinic {
  readonly timeZone: string
  readonly defaultRegion: string
}

export const makeClinic = (clinic: NewClinic) => send({ method: 'POST', path: 'clinics', body: clinic })

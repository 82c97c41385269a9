/** The clinics of the service, for operators: docs/clinics.md. */
import { queryOptions } from '@tanstack/react-query'
import { send } from './client.ts'
import { pagesFrom } from './lists.ts'

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
    const { pages, isCut } = await pagesFrom<Page>('clinics', MOST, signal)
    return { clinics: pages.flatMap(({ clinics }) => clinics), isCut }
  },
})

export interface NewClinic extends ListedClinic {
  readonly timeZone: string
  readonly defaultRegion: string
}

export const makeClinic = (clinic: NewClinic) => send({ method: 'POST', path: 'clinics', body: clinic })

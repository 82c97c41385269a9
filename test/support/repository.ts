/** A repository over a real engine, at a time that the test sets. */
import { StoredContents } from '../../src/content/contents.ts'
import { clinicAccess } from '../../src/core/clinic-access.ts'
import type { ClinicAccess } from '../../src/core/context.ts'
import { standardProvider } from '../../src/core/provider.ts'
import { specialProviders } from '../../src/providers/index.ts'
import { registerProviders } from '../../src/providers/registry.ts'
import { Repository } from '../../src/repository/repository.ts'
import { searchParametersOf } from '../../src/search/parameters.ts'
import type { ResourceStore } from '../../src/storage/port.ts'
import { openTestContentStore, openTestStore } from './database.ts'

export interface TestRepository {
  readonly repository: Repository
  readonly contents: StoredContents
  readonly access: (clinic: string) => ClinicAccess
  /** From now on it is this time. */
  readonly setTime: (time: string | number) => void
}

/** @param store absent: one that is empty */
export async function openTestRepository(
  time: string | number = Date.now(),
  store?: ResourceStore,
): Promise<TestRepository> {
  const baseUrl = 'http://127.0.0.1'
  let now = new Date(time).getTime()
  const providers = registerProviders(specialProviders, standardProvider)
  const repository = new Repository(store ?? (await openTestStore()), { baseUrl, clock: () => now })
  const servedSearch = { parametersOf: searchParametersOf, fullText: true }
  const contents = new StoredContents(repository, await openTestContentStore())
  const services = {
    repository,
    contents,
    providers,
    baseUrl,
    profilePolicy: 'warn',
    searchHandling: 'strict',
    servedSearch,
  } as const
  return {
    repository,
    contents,
    access: (clinic) => clinicAccess(services)(clinic, { kind: 'server' }),
    setTime: (next) => {
      now = new Date(next).getTime()
    },
  }
}

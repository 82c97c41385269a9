/** A repository over a real engine, at a time that the test sets. */
import { type ClinicAccess, clinicAccess } from '../../src/core/context.ts'
import { standardProvider } from '../../src/core/standard.ts'
import { specialProviders } from '../../src/providers/index.ts'
import { registerProviders } from '../../src/providers/registry.ts'
import { Repository } from '../../src/repository/repository.ts'
import { openTestStore } from './database.ts'

export interface TestRepository {
  readonly repository: Repository
  readonly access: (clinic: string) => ClinicAccess
  /** From now on it is this time. */
  readonly setTime: (time: string | number) => void
}

export async function openTestRepository(time: string | number = Date.now()): Promise<TestRepository> {
  const baseUrl = 'http://127.0.0.1'
  let now = new Date(time).getTime()
  const providers = registerProviders(specialProviders, standardProvider)
  const repository = new Repository(await openTestStore(), { baseUrl, clock: () => now })
  return {
    repository,
    access: (clinic) => clinicAccess(repository, providers, baseUrl, clinic, { kind: 'server' }),
    setTime: (next) => {
      now = new Date(next).getTime()
    },
  }
}

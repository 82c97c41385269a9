/** The specification of storage: every engine runs it. Nothing in it knows an engine. */
import { afterAll, beforeAll, describe } from '@jest/globals'
import { describeCanonicals } from './contract/canonicals.ts'
import type { NewClinic, OpenStore } from './contract/clinics.ts'
import { describeComposites } from './contract/composites.ts'
import { describeConditions } from './contract/conditions.ts'
import { Coverage } from './contract/coverage.ts'
import { describeDropping } from './contract/dropping.ts'
import { describeHistory } from './contract/history.ts'
import { describeIncludes } from './contract/includes.ts'
import { describeInner } from './contract/inner.ts'
import { describeIsolation } from './contract/isolation.ts'
import { describeKeys } from './contract/keys.ts'
import { describePaging } from './contract/paging.ts'
import { describeRecords } from './contract/records.ts'
import { describeScanning } from './contract/scanning.ts'
import { describeSnapshots } from './contract/snapshots.ts'
import { describeSorting } from './contract/sorting.ts'
import { describeValues } from './contract/values.ts'
import { describeVersions } from './contract/versions.ts'
import { describeWriting } from './contract/writing.ts'
import { Clinic } from './fixtures.ts'

export function describeStoreContract(name: string, open: OpenStore): void {
  describe(`store contract on ${name}`, () => {
    const coverage = new Coverage()
    const openNoted: OpenStore = async () => {
      const { store, close } = await open()
      return { store: coverage.of(store), close }
    }
    let opened: Awaited<ReturnType<OpenStore>>
    let clinics = 0
    beforeAll(async () => {
      opened = await openNoted()
    })
    afterAll(() => opened.close())
    const newClinic: NewClinic = () => {
      clinics += 1
      return new Clinic(opened.store, `clinic-${clinics}`)
    }
    describeVersions(newClinic)
    describeWriting(newClinic, openNoted)
    describeHistory(newClinic)
    describeConditions(newClinic)
    describeComposites(newClinic)
    describeSorting(newClinic)
    describePaging(newClinic)
    describeIncludes(newClinic)
    describeInner(newClinic)
    describeCanonicals(newClinic)
    describeValues(newClinic)
    describeKeys(newClinic)
    describeIsolation(newClinic)
    describeRecords(newClinic)
    describeScanning(newClinic)
    describeSnapshots(newClinic)
    describeDropping(newClinic, openNoted)
    coverage.describe()
  })
}

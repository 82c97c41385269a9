/** One patient of the list. */

import { Badge } from '@mantine/core'
import type { Patient } from 'fhir/r4'
import { clinicNow } from '../../api/clock.ts'
import { patientName, telecomOf } from '../../fhir/names.ts'
import { isPlaceholder, replacedBy } from '../../fhir/patients.ts'
import { ageAt, dateText } from '../../fhir/time.ts'
import { useClinic } from '../../parts/clinic-context.tsx'
import { Reasons } from '../../parts/found-patient.tsx'
import { PlainLink } from '../../parts/links.tsx'
import classes from './patients.module.css'

interface PatientRowProps {
  readonly patient: Patient
  /** The search has found the patient by these; empty: by the name. */
  readonly reasons: string
}

export function PatientRow({ patient, reasons }: PatientRowProps) {
  const { timeZone } = useClinic()
  const { id, birthDate, telecom, identifier, active } = patient
  const age = ageAt(birthDate, clinicNow(), timeZone)
  return (
    <PlainLink className={`row ${classes.row}`} to={`/patients/${id}`}>
      <span className={`${classes.name} cut`}>
        <bdi>{patientName(patient)}</bdi>
        <Reasons text={reasons} />
        {replacedBy(patient) !== undefined ? (
          <Tag text="merged" />
        ) : (
          active === false && !isPlaceholder(patient) && <Tag text="inactive" />
        )}
      </span>
      <span className={`${classes.born} number`}>
        {dateText(birthDate)} {age !== undefined && <span className={classes.age}>({age})</span>}
      </span>
      <span className={`${classes.phone} number cut`}>{telecomOf(telecom, 'phone')}</span>
      <span className={`${classes.record} number cut`}>{identifier?.[0]?.value}</span>
    </PlainLink>
  )
}

const Tag = ({ text }: { readonly text: string }) => (
  <Badge size="xs" variant="default" ml="xs">
    {text}
  </Badge>
)

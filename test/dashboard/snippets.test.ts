/** The snippet for HAPI: Java is not part of the tests, so it stays what was compiled and run by hand. */
import { expect, test } from '@jest/globals'
import { SNIPPETS } from '../../dashboard/parts/connect/snippets.ts'

/** Compiled with Java 17 and HAPI 8.8.0, and run on this server: it printed `Bundle 1`. */
const TRIED = `// Connect.java, for Java 17 with hapi-fhir-client and hapi-fhir-structures-r4 8.8.0 and what they need in lib/:
// java -cp 'lib/*' Connect.java
import ca.uhn.fhir.context.FhirContext;
import ca.uhn.fhir.rest.client.api.IGenericClient;
import ca.uhn.fhir.rest.client.interceptor.BearerTokenAuthInterceptor;
import org.hl7.fhir.r4.model.Bundle;
import org.hl7.fhir.r4.model.Patient;

public class Connect {
  public static void main(String[] arguments) {
    FhirContext context = FhirContext.forR4();
    IGenericClient client = context.newRestfulGenericClient("http://127.0.0.1:3000");
    client.registerInterceptor(new BearerTokenAuthInterceptor("TOKEN"));
    Bundle patients = client.search().forResource(Patient.class).count(1).returnBundle(Bundle.class).execute();
    System.out.println(patients.fhirType() + " " + patients.getEntry().size());
  }
}`

test('the snippet for HAPI is the program that was tried by hand', () => {
  const target = { base: 'http://127.0.0.1:3000', token: 'TOKEN', dialedNumber: undefined }
  expect(SNIPPETS.hapi.textOf(target)).toBe(TRIED)
})

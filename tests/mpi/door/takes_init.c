/* A PMPI tool that keeps MPI_Init from whoever stands behind it. */
int PMPI_Init(int* argc, char*** argv);
int MPI_Init(int* argc, char*** argv) { return PMPI_Init(argc, argv); }
